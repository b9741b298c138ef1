import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identityOf } from './process-tree.mjs';

const held = new Set();

/**
 * Runs `work` while no other process holds the lock file, and calls `onWait` with the number of each process it waits for.
 * The lock of a process that has ended is ignored. Throws the file system's errors.
 */
export async function withLock(file, work, onWait) {
  mkdirSync(dirname(file), { recursive: true });
  let reported;
  while (!take(file)) {
    const holder = liveHolder(file);
    if (holder && holder !== reported) onWait(holder);
    reported = holder ?? reported;
    await delay(200);
  }
  held.add(file);
  try {
    return await work();
  } finally {
    release(file);
  }
}

/** Releases the locks that are held, when the process ends in the middle of its work. */
export function releaseLocks() {
  held.forEach(release);
}

function release(file) {
  if (held.delete(file)) rmSync(file, { force: true });
}

/** Created as a link, so that the lock has its content from the start. */
function take(file) {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, identityOf(process.pid));
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    removeStale(file, own);
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Moves the lock aside first: only one process succeeds, and it puts back a lock that was taken in between. */
function removeStale(file, own) {
  if (liveHolder(file)) return;
  const aside = `${own}.stale`;
  try {
    renameSync(file, aside);
  } catch {
    return; // Another process was faster.
  }
  if (liveHolder(aside)) renameSync(aside, file);
  else rmSync(aside, { force: true });
}

/** The number of the process that holds a lock; undefined if it no longer runs. */
function liveHolder(file) {
  const identity = read(file);
  const pid = Number(identity.split(' ')[0]);
  return pid > 0 && identityOf(pid) === identity ? pid : undefined;
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
