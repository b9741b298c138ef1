import { type ChildProcess, spawn } from 'node:child_process';
import fs, { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeLock } from '../apps/standalone/src/lock.ts';

/** The script is JavaScript. */
const { take } = (await import(join(import.meta.dirname, '../scripts/parts/lock.mjs'))) as {
  take(file: string): boolean;
};

const STALE = '999999999 12345';
/** What changes who has a lock. */
const real = { linkSync: fs.linkSync, renameSync: fs.renameSync, rmSync: fs.rmSync };
const ownPid = process.pid;

let dir: string;
let others: ChildProcess[];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pts-locks-'));
  others = [1, 2].map(() => spawn('sleep', ['600'], { stdio: 'ignore' }));
});
afterEach(() => {
  Object.assign(fs, real);
  syncBuiltinESMExports();
  for (const other of others) other.kill();
  rmSync(dir, { recursive: true });
});

/** Calls `interrupt` before each change, of others than its own. */
function before(interrupt: () => void): void {
  let isOther = false;
  for (const [name, change] of Object.entries<(...args: never[]) => void>(real)) {
    Object.assign(fs, {
      [name](...args: never[]) {
        if (!isOther) {
          isOther = true;
          interrupt();
          isOther = false;
        }
        change(...args);
      },
    });
  }
  syncBuiltinESMExports();
}

function as<T>(pid: number, work: () => T): T {
  Object.defineProperty(process, 'pid', { value: pid });
  try {
    return work();
  } finally {
    Object.defineProperty(process, 'pid', { value: ownPid });
  }
}

describe.each([
  ['set-ups', () => take(join(dir, 'lock'))],
  [
    'installations',
    () => {
      try {
        takeLock(dir);
        return true;
      } catch {
        return false;
      }
    },
  ],
])('the lock of %s', (_, tryToTake) => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('has one holder, if others try from step %i of taking a stale one on', (from) => {
    writeFileSync(join(dir, 'lock'), STALE);
    const holders = new Set<number>();
    const attempt = (pid: number) => {
      if (!holders.has(pid) && as(pid, tryToTake)) holders.add(pid);
    };
    let step = 0;
    before(() => {
      step += 1;
      if (step >= from) for (const { pid = 0 } of others) attempt(pid);
    });
    for (let tries = 0; tries < 5; tries++) attempt(ownPid);
    expect(holders.size).toBe(1);
  });

  test('is taken, although a process has ended while it removed a stale one', () => {
    for (const name of ['lock', 'lock.stale']) writeFileSync(join(dir, name), STALE);
    expect([tryToTake(), tryToTake(), tryToTake()]).toContain(true);
  });
});
