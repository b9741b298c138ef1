import { statSync } from 'node:fs';

const LOOK_EVERY_MS = 250;

export type Folder = {
  /** Checks now whether one of the paths was deleted or replaced. */
  isGone(): boolean;
  stop(): void;
};

/** Watches files and folders, and calls `onGone` once if one is deleted or replaced. */
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

/** Empty if there is none; `unknown` if that cannot be determined now. */
function identityOf(path: string, unknown = ''): string {
  try {
    // With its creation time: file systems reuse inode numbers.
    const { dev, ino, birthtimeNs } = statSync(path, { bigint: true });
    return `${dev} ${ino} ${birthtimeNs}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? '' : unknown;
  }
}
