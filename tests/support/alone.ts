import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
/** The script is JavaScript. */
const { withLock } = (await import(resolve(ROOT, 'scripts/parts/lock.mjs'))) as {
  withLock(file: string, work: () => Promise<void>, onWait: (pid: number) => void): Promise<void>;
};

/** Makes what `folder` in `.cache` holds: test files that need the same run at once, and only one may make it. */
export function alone(folder: string, work: () => Promise<void>): Promise<void> {
  return withLock(`${folder}.lock`, work, () => {});
}
