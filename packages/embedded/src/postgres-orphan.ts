import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const PID_FILE = 'postmaster.pid';

/**
 * Cleans up after a crash: stops a server that still runs on this data, and removes a pid file whose number now belongs to
 * another process (PostgreSQL would refuse to start). PostgreSQL itself handles a pid file whose process has ended.
 * The caller must ensure that nothing else uses the data.
 */
export async function stopOrphan(dataDir: string, log: (line: string) => void): Promise<void> {
  const pid = pidIn(dataDir);
  if (pid === undefined) return;
  if (!isServerOf(pid, dataDir)) {
    if (isAlive(pid)) rmSync(join(dataDir, PID_FILE), { force: true });
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

/** The number of the server that runs on this data, if any. */
export function runningServer(dataDir: string): number | undefined {
  const pid = pidIn(dataDir);
  return pid !== undefined && isServerOf(pid, dataDir) ? pid : undefined;
}

function pidIn(dataDir: string): number | undefined {
  const file = join(dataDir, PID_FILE);
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0;
  return pid > 1 ? pid : undefined;
}

/** A server works in its data's folder, whose name the kernel knows even after it was moved. */
function isServerOf(pid: number, dataDir: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === dataDir;
  } catch {
    return !existsSync('/proc/self') && commandLine(pid).includes(dataDir);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function commandLine(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}
