import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const IS_WINDOWS = process.platform === 'win32';

/** The options of spawn that make a child the leader of what `killTree` ends. */
export const TREE = { detached: !IS_WINDOWS, windowsHide: true };

/** Asks a tree of processes to end; not possible on Windows. */
export function endTree(pid) {
  signalGroup(pid, 'SIGTERM');
}

/** Kills a tree of processes; one that has already ended is not an error. */
export function killTree(pid) {
  if (IS_WINDOWS) spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' });
  else signalGroup(pid, 'SIGKILL');
}

function signalGroup(pid, signal) {
  try {
    if (!IS_WINDOWS) process.kill(-pid, signal);
  } catch {
    // It has already ended.
  }
}

/** A process's number and when it started, because numbers are reused. Empty if it does not run. */
export function identityOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field, the name in parentheses, may itself hold spaces. The third is the state, the 22nd the start.
    const [, state, ...fields] = stat.slice(stat.lastIndexOf(')')).split(' ');
    return state === 'Z' ? '' : `${pid} ${fields[18]}`;
  } catch (error) {
    return process.platform === 'linux' && error.code === 'ENOENT' ? '' : identityByPs(pid);
  }
}

function identityByPs(pid) {
  try {
    if (IS_WINDOWS) return process.kill(pid, 0) ? `${pid} running` : '';
    const options = { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } };
    return `${pid} ${execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], options).trim()}`;
  } catch {
    return '';
  }
}
