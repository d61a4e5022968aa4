// Bundles the client into dist/, which is committed: who installs the package has no node.
// `node build.mjs --tests` bundles the unit tests into build/tests/ instead.

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const SOURCES = ["src", "build.mjs", "package.json", "package-lock.json", "tsconfig.json"];
const JSX = { jsx: "automatic", jsxImportSource: "preact" };

/** Every source file as [path, bytes], in the order of the paths. */
async function sources() {
  const inside = await readdir(join(HERE, "src"), { recursive: true, withFileTypes: true });
  const files = inside.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const paths = [...files.map((file) => file.slice(HERE.length + 1)), ...SOURCES.slice(1)].sort();
  return Promise.all(paths.map(async (path) => [path, await readFile(join(HERE, path))]));
}

/** What the test of freshness compares (tests/test_client_files.py). */
async function fingerprint() {
  const hash = createHash("sha256");
  for (const [path, bytes] of await sources()) hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  return hash.digest("hex");
}

/** The licences of what is bundled, which ask to be passed on with it. */
async function licences(metafile) {
  const packages = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
    if (name) packages.add(name);
  }
  const texts = [...packages].sort().map(async (name) => {
    const folder = join(HERE, "node_modules", name);
    const about = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
    const text = file ? await readFile(join(folder, file), "utf8") : "";
    return `${name} ${about.version} (${about.license})\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${"-".repeat(80)}\n\n`);
}

async function bundle() {
  const dist = join(HERE, "dist");
  await rm(dist, { recursive: true, force: true });
  await mkdir(join(dist, "assets"), { recursive: true });
  const { metafile } = await build({
    entryPoints: { app: join(HERE, "src/main.tsx") },
    outdir: join(dist, "assets"),
    absWorkingDir: HERE,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    legalComments: "none",
    metafile: true,
    ...JSX,
  });
  await build({
    entryPoints: { app: join(HERE, "src/style/app.css") },
    outdir: join(dist, "assets"),
    bundle: true,
    minify: true,
  });
  const hash = await fingerprint();
  const page = await readFile(join(HERE, "src/index.html"), "utf8");
  await writeFile(join(dist, "index.html"), page.replaceAll("{version}", hash.slice(0, 12)));
  await cp(join(HERE, "src/icon.svg"), join(dist, "assets/icon.svg"));
  await writeFile(join(dist, "assets/licences.txt"), await licences(metafile));
  await writeFile(join(dist, "sources.sha256"), `${hash}\n`);
}

async function tests() {
  const names = (await readdir(join(HERE, "test"))).filter((name) => name.endsWith(".test.ts"));
  await rm(join(HERE, "build"), { recursive: true, force: true });
  await build({
    entryPoints: names.map((name) => join(HERE, "test", name)),
    outdir: join(HERE, "build/tests"),
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["node:*"],
    ...JSX,
  });
}

await (process.argv.includes("--tests") ? tests() : bundle());
