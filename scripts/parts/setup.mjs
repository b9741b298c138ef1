// What every command needs before it can run: dependencies, the Prisma client, bundles. Each is skipped when it is up
// to date.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { env } from 'node:process';
import { generateClient, isClientStale } from '../generate.mjs';
import { bundleApp, isBundleStale, listApps } from './bundle.mjs';
import { endRuns, killRuns, ROOT, run, ScriptError } from './lib.mjs';
import { releaseLocks, withLock } from './lock.mjs';

/** npm fails on files of an interrupted installation, or while another process writes there. */
const IN_THE_WAY = /\b(ENOTEMPTY|EEXIST|EISDIR|ENOTDIR|EBUSY)\b/;

/**
 * Brings the checkout up to date for `apps` (their bundles; none to run only from sources). Says what it does on `out`,
 * one line per step, and nothing if there is nothing to do.
 */
export async function setUp({ apps = listApps(), out = process.stdout } = {}) {
  const steps = [
    ['Installing dependencies (npm ci, one to three minutes)', areDependenciesStale, installDependencies],
    ['Generating the Prisma client', isClientStale, generateClient],
    [
      'Building the services (up to a minute)',
      () => apps.some(isBundleStale),
      () => buildApps(apps.filter(isBundleStale)),
    ],
  ];
  await interruptible(out, async () => {
    for (const [label, isStale, work] of steps) {
      if (!isStale()) continue;
      await alone(out, async () => {
        if (isStale()) await step(out, label, work);
      });
    }
  });
}

/** Prints one line per step: the label, a dot per second, the result. */
export async function step(out, label, work) {
  const started = performance.now();
  out.write(`${label} `);
  const dots = setInterval(() => isInterrupted() || out.write('.'), 1000);
  try {
    const result = await work();
    out.write(` done, ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
    return result;
  } catch (error) {
    if (!isInterrupted()) out.write(' failed\n');
    throw error;
  } finally {
    clearInterval(dots);
  }
}

/** Whether the installed packages differ from package-lock.json. Packages of other platforms may be missing. */
function areDependenciesStale() {
  const installed = packagesOf('node_modules/.package-lock.json');
  if (!installed) return true;
  const wanted = Object.entries(packagesOf('package-lock.json') ?? {});
  return wanted.some(([path, { version, link, optional, devOptional }]) => {
    if (!/(^|\/)node_modules\//.test(path)) return false;
    // Its presence is checked as well: it may have been removed, in whole or in part.
    const there = existsSync(join(ROOT, path)) ? installed[path] : undefined;
    if (!there) return !optional && !devOptional;
    return there.version !== version || there.link !== link;
  });
}

function packagesOf(lockfile) {
  const path = join(ROOT, lockfile);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : undefined;
}

async function installDependencies() {
  // npm gives its path to its scripts; building needs development dependencies, whatever NODE_ENV says.
  const npm = env.npm_execpath?.endsWith('.js') ? [process.execPath, env.npm_execpath] : ['npm'];
  const [command, ...args] = [
    ...npm,
    'ci',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  // npm writes it last: if it is missing, the installation is incomplete.
  rmSync(join(ROOT, 'node_modules/.package-lock.json'), { force: true });
  try {
    await run(command, args).catch(async (error) => {
      if (isInterrupted() || !IN_THE_WAY.test(error.message)) throw error;
      removeInstalled();
      await run(command, args);
    });
  } catch (error) {
    throw new ScriptError(
      `${error.message}\n\nThe dependencies could not be installed. Can this machine reach the npm registry?`,
    );
  }
}

/** The installed packages, but not the folder itself: it may be a mount or a link. */
function removeInstalled() {
  const dir = join(ROOT, 'node_modules');
  if (!existsSync(dir)) return;
  for (const name of readdirSync(dir))
    rmSync(join(dir, name), { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

async function buildApps(apps) {
  try {
    await Promise.all(apps.map(bundleApp));
  } catch (error) {
    throw new ScriptError(error.message);
  } finally {
    await (await import('esbuild')).stop();
  }
}

/** Two commands may be started at once in one checkout: the second waits for the first one's set-up. */
async function alone(out, work) {
  let isOurs = false;
  const begin = () => {
    isOurs = true;
    return work();
  };
  const onWait = (pid) => out.write(`Waiting for another set-up of this checkout to finish (pid ${pid})\n`);
  try {
    await withLock(join(ROOT, '.cache/setup.lock'), begin, onWait);
  } catch (error) {
    if (isOurs) throw error;
    throw new ScriptError(`${ROOT} is not set up and cannot be written to: ${error.message}`);
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** npm forwards the Ctrl-C that the terminal also sent: a second signal this soon is the same one. */
const SAME_KEYPRESS_MS = 1000;

let interruptedAt;

/** Whether the process was asked to stop: errors from now on are its consequence. */
function isInterrupted() {
  return interruptedAt !== undefined;
}

/** Runs `work`. A signal in that time ends its child processes, releases its locks and ends the process as asked. */
async function interruptible(out, work) {
  const onSignal = (signal) => void interrupt(signal, out, quit);
  const ignore = () => {}; // the terminal may be closed, so that nothing reads the output
  const listen = () => {
    for (const signal of SIGNALS) process.on(signal, onSignal);
    out.on('error', ignore);
  };
  const quit = () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
    out.off('error', ignore);
  };
  listen();
  try {
    const result = await work();
    if (!isInterrupted()) return result;
  } catch (error) {
    if (!isInterrupted()) throw error;
  } finally {
    if (!isInterrupted()) quit();
  }
  // The signal's handler ends the process.
  return await new Promise(() => {});
}

async function interrupt(signal, out, quit) {
  const now = performance.now();
  if (isInterrupted()) return now - interruptedAt < SAME_KEYPRESS_MS ? undefined : killRuns();
  interruptedAt = now;
  out.write(`\n${signal}: stopping the set-up; the next command repeats this step\n`);
  const keepAlive = setInterval(() => {}, 1000);
  await endRuns();
  clearInterval(keepAlive);
  releaseLocks();
  quit();
  // Ended by the signal itself, as npm and shells expect of an interrupted process.
  if (process.platform === 'win32') process.exit(1);
  process.kill(process.pid, signal);
}
