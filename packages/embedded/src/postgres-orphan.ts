import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * What an unclean end left behind: a server still running on this data (stopped), or a pid file whose number now belongs to
 * some other process (removed, or PostgreSQL would refuse to start). A pid file of the dead PostgreSQL handles by itself.
 * The caller knows that nobody else uses the data.
 */
export async function stopOrphan(dataDir: string, log: (line: string) => void): Promise<void> {
  const pidFile = join(dataDir, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  if (!isServerOf(pid, dataDir)) {
    if (isAlive(pid)) rmSync(pidFile, { force: true });
    return;
  }
  log(`stopping PostgreSQL (pid ${pid}) that an earlier run left behind`);
  for (const [signal, timeoutMs] of [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await delay(50)) {
      if (!isServerOf(pid, dataDir)) return;
    }
  }
  throw new Error(`PostgreSQL (pid ${pid}) still runs on ${dataDir} and does not stop`);
}

function isServerOf(pid: number, dataDir: string): boolean {
  return Number.isInteger(pid) && pid > 1 && commandLine(pid).includes(dataDir);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function commandLine(pid: number): string {
  try {
    if (existsSync('/proc/self/cmdline')) return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}
