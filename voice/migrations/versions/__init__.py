"""One step a file, named by its number. A step that has been released is never changed; a new one follows it."""
