import { spawn, spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { env } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endTree, killTree, TREE } from './process-tree.mjs';

/** The repository's root. */
export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Whether the module at `url` is what node was started with. */
export function isMain(url) {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(url);
}

/** An error that the user can fix: shown without a stack. */
export class ScriptError extends Error {}

const running = new Map();
const GRACE_MS = 2000;

/** Runs a command, quietly; it ends when we do. Throws a ScriptError with what it printed when it fails. */
export function run(command, args, { cwd = ROOT, variables = {} } = {}) {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [join(ROOT, 'scripts/parts/guard.mjs'), command, ...args], {
      ...TREE,
      cwd,
      env: { ...env, ...variables },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let said = '';
    const hear = (chunk) => {
      said = (said + chunk).slice(-20_000);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('error', (error) => fail(new ScriptError(`could not run ${command}: ${error.message}`)));
    const closed = new Promise((resolve) => {
      child.on('close', (code, signal) => {
        running.delete(child);
        resolve();
        if (code === 0) done(said);
        else
          fail(
            new ScriptError(
              `${[command, ...args].join(' ')} failed (${signal ?? `exit code ${code}`}):\n${said.trim()}`,
            ),
          );
      });
    });
    running.set(child, closed);
  });
}

/**
 * Ends the processes that `run` has started, with all their children: signals them first, and kills those that still
 * run after two seconds.
 */
export async function endRuns() {
  const trees = [...running];
  for (const [child] of trees) endTree(child.pid);
  await Promise.race([Promise.all(trees.map(([, closed]) => closed)), delay(GRACE_MS, undefined, { ref: false })]);
  killRuns(trees);
  await Promise.all(trees.map(([, closed]) => closed));
}

/** Kills them at once. */
export function killRuns(trees = [...running]) {
  for (const [child] of trees) killTree(child.pid);
}

/**
 * Runs a Node program in the same terminal; signals are passed on to it. Resolves with its exit code, or with the
 * signal that ended it.
 */
export function runInTerminal(args, variables = {}) {
  const child = spawn(process.execPath, args, { cwd: ROOT, env: { ...env, ...variables }, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((done, fail) => {
    child.on('error', (error) => fail(new ScriptError(`could not run ${args[0]}: ${error.message}`)));
    child.on('exit', (code, signal) => done(signal ?? code));
  });
}

/**
 * Ends this process when npm ends. npm passes signals on to the shell in which it runs a script, and not every shell
 * passes them on; a killed npm passes on none.
 */
export function endWithNpm() {
  if (!env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const npm = isShellOfNpm(parent) ? parentOf(parent) : undefined;
  const watch = setInterval(() => {
    if (process.ppid === parent && (npm === undefined || isAlive(npm))) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}

/** Some shells replace themselves with the program; then the parent is npm. */
function isShellOfNpm(pid) {
  return tellOf(pid, 'args')?.includes(env.npm_lifecycle_script) ?? false;
}

function parentOf(pid) {
  const parent = Number(tellOf(pid, 'ppid'));
  return parent > 1 ? parent : undefined;
}

/** Reads what `ps` reports about a process. Undefined where there is no `ps`: then only the parent is watched. */
function tellOf(pid, column) {
  const { status, stdout } = spawnSync('ps', ['-ww', '-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Ends the process the way a command line tool should: problems as one line, bugs with their stack. */
export function fail(error) {
  process.stderr.write(`\n${error instanceof ScriptError ? error.message : (error?.stack ?? error)}\n`);
  process.exit(1);
}
