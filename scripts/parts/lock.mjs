import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identityOf } from './process-tree.mjs';

const held = new Set();

/**
 * Runs `work` while no other process holds the lock file, and calls `onWait` with the number of each process it waits
 * for. The lock of a process that has ended is ignored. Throws the file system's errors.
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

/** Takes the lock if nobody has it; a stale one is removed, and can be taken the next time. */
export function take(file) {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, identityOf(process.pid));
  try {
    return claim(own, file);
  } finally {
    rmSync(own, { force: true });
  }
}

/** Created as a link, so that it has its content from the start. */
function claim(own, file) {
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (isStale(file)) removeStale(own, file);
    return false;
  }
}

/**
 * Under a lock of its own: otherwise, two processes might do so, and the slower one would remove the lock that was
 * taken in between.
 */
function removeStale(own, file) {
  const guard = `${file}.stale`;
  if (!claim(own, guard)) return;
  try {
    if (isStale(file)) rmSync(file, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}

/** Whether a lock exists, but not the process that holds it. */
function isStale(file) {
  const identity = read(file);
  return identity !== undefined && pidOf(identity) === undefined;
}

/** The number of the process that holds a lock; undefined if there is none that runs. */
function liveHolder(file) {
  return pidOf(read(file) ?? '');
}

function pidOf(identity) {
  const pid = Number(identity.split(' ')[0]);
  return pid > 0 && identityOf(pid) === identity ? pid : undefined;
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
