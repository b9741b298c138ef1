import { createStore } from '../session/store.ts';

/** A file that one view hands to the next, which imports it. */
const handed = createStore<File | null>(null);

export function handFile(file: File): void {
  handed.set(file);
}

/** The file that was handed on, once. */
export function takeHandedFile(): File | null {
  const file = handed.get();
  handed.set(null);
  return file;
}
