/** A value that components watch. */

import { useEffect, useState } from "preact/hooks";

export class Store<T extends object> {
  private watchers = new Set<() => void>();

  constructor(public value: T) {}

  set(change: Partial<T>): void {
    this.value = { ...this.value, ...change };
    for (const watch of this.watchers) watch();
  }

  watch(watcher: () => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }
}

export function useStore<T extends object>(store: Store<T>): T {
  const [value, show] = useState(store.value);
  useEffect(() => {
    show(store.value);
    return store.watch(() => show(store.value));
  }, [store]);
  return value;
}
