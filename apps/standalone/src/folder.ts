import { statSync } from 'node:fs';

const LOOK_EVERY_MS = 250;

export type Folder = {
  /** Whether one of the paths is gone, or another file has taken its place; looks now. */
  isGone(): boolean;
  stop(): void;
};

/** Watches that files and folders stay what they are, and calls `onGone` once when one does not. */
export function watchFolder(paths: readonly string[], onGone: () => void, everyMs = LOOK_EVERY_MS): Folder {
  const known = paths.map((path) => ({ path, identity: identityOf(path) }));
  let gone = false;
  let stopped = false;
  const isGone = () => {
    if (gone || stopped) return gone;
    gone = known.some(({ path, identity }) => identityOf(path, identity) !== identity);
    if (gone) {
      stop();
      onGone();
    }
    return gone;
  };
  const stop = () => {
    stopped = true;
    clearInterval(timer);
  };
  const timer = setInterval(isGone, everyMs).unref();
  return { isGone, stop };
}

/** Empty when there is none; `unknown` when that cannot be told just now. */
function identityOf(path: string, unknown = ''): string {
  try {
    // With its birth: file systems give a number again that has become free.
    const { dev, ino, birthtimeNs } = statSync(path, { bigint: true });
    return `${dev} ${ino} ${birthtimeNs}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? '' : unknown;
  }
}
