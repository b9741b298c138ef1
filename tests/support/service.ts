import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type App, endProcess, outputOf, SHORT_LIVED } from '@pts/testing/app-process';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { hasTestServer } from '@pts/testing/stores';
import { tuning } from './tuning.ts';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');

type Ready = { base_url: string; api_key: string; sandbox_url: string; database_url: string; redis_url: string | null };

export type Service = {
  ready: Ready;
  /** What `npm start` has printed so far. */
  output(): string;
  /** The process id of an app that it runs. */
  pidOf(app: App): number;
  /** The exit code, once it has ended and all that it printed was read. */
  exited: Promise<number | null>;
  /** Resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
};

/** Starts what `npm start` starts, from the built bundles, on free ports and in a directory of its own. */
export async function startService(env: Record<string, string | undefined>, dir = newDirectory()): Promise<Service> {
  const child = spawnService(env, dir);
  const output = outputOf(child);
  const exited = new Promise<number | null>((done) => child.once('close', (code) => done(code)));
  const died = exited.then((code) => {
    throw new Error(`the service ended with ${code}:\n${output()}`);
  });
  died.catch(() => {});
  const isReady = eventually(() => readReady(dir, output()));
  const ready = await Promise.race([isReady, died]).catch(async (error: unknown) => {
    await endProcess(child);
    throw error;
  });
  return {
    ready,
    output,
    exited,
    pidOf: (app) => childOf(child, app),
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      return exited;
    },
  };
}

/**
 * A service of its own on a store; `close` removes it. Its database is on the server of the tests, if there is one: a
 * server of its own would have to be created and migrated.
 * @throws from `close` if one of its programs died on the way and the test did not kill it: it would have been
 * restarted unnoticed.
 */
export async function startOwnService(
  name: string,
  redisUrl: string | undefined,
  env: Readonly<Record<string, string>> = {},
) {
  const dir = newDirectory();
  const database = hasTestServer('TEST_DATABASE_URL') ? await testDatabase() : undefined;
  const service = await startService(
    { DATABASE_URL: database?.url, REDIS_URL: redisUrl, QUEUE_PREFIX: `{${name}-${process.pid}}`, ...env },
    dir,
  );
  const close = async ({ wereKilled = false } = {}) => {
    const deaths = wereKilled ? [] : linesWith(service.output(), 'restarting it');
    await service.stop();
    await database?.close();
    removeDirectory(dir);
    if (deaths.length > 0) throw new Error(`programs died:\n${deaths.join('\n')}\n${service.output()}`);
  };
  return { service, close };
}

/** Such a service whose parcels move fast and are checked each second. */
export function startFastService(
  name: string,
  redisUrl: string | undefined,
  more: Readonly<Record<string, string>> = {},
) {
  const speed = {
    RATE_LIMITS: 'off',
    SANDBOX_SPEED: '6',
    CHECK_INTERVAL_SECONDS: '1',
    // A provider repeats a callback that was lost on a busy machine only minutes later.
    CALLBACK_SAFETY_NET_SECONDS: '20',
  };
  return startOwnService(name, redisUrl, { ...speed, ...more });
}

function linesWith(text: string, part: string): string[] {
  return text.split('\n').filter((line) => line.includes(part));
}

/** Only the process, which may be stopped before it is ready. */
export function spawnService(env: Record<string, string | undefined>, dir: string) {
  return spawn(process.execPath, ['apps/standalone/dist/standalone.mjs'], {
    cwd: ROOT,
    env: { ...cleanEnv(), ...SHORT_LIVED, ...tuning(), PORT: '0', STANDALONE_DIR: dir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export function newDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'pts-e2e-'));
}

/** Also while a service creates files in it: then some are there again after the others are gone. */
export function removeDirectory(dir: string): void {
  while (existsSync(dir)) {
    try {
      rmSync(dir, { recursive: true, force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
    }
  }
}

/** The developer's own settings must not leak into a test. */
function cleanEnv(): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG, TMPDIR } = process.env;
  return { PATH, HOME, LANG, TMPDIR };
}

function readReady(dir: string, output: string): Ready {
  const file = join(dir, 'ready.json');
  if (!existsSync(file)) throw new Error(`the service is not ready:\n${output}`);
  return JSON.parse(readFileSync(file, 'utf8')) as Ready;
}

function childOf(parent: ChildProcess, app: App): number {
  const found = processes().find(({ ppid, command }) => ppid === parent.pid && command.includes(`${app}.mjs`));
  if (!found) throw new Error(`no ${app} runs`);
  return found.pid;
}

/** Processes whose command line or environment names the directory: all processes of an installation. */
export function processesOf(dir: string): string[] {
  return processes()
    .filter(({ pid, command }) => command.includes(dir) || readProc(pid, 'environ').includes(`STANDALONE_DIR=${dir}`))
    .map(({ pid, command }) => `${pid} ${command}`);
}

/** Kills all processes of an installation, the youngest first: none that it started goes on without it. */
export function killProcessesOf(dir: string): void {
  for (const found of processesOf(dir).reverse()) {
    try {
      process.kill(Number(found.split(' ')[0]), 'SIGKILL');
    } catch (error) {
      // It ended by itself.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

function processes(): { pid: number; ppid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      const pid = Number(name);
      const ppid = Number(/^PPid:\s+(\d+)/m.exec(readProc(pid, 'status'))?.[1] ?? 0);
      return { pid, ppid, command: readProc(pid, 'cmdline').replaceAll('\0', ' ') };
    });
}

/** A process may end while it is inspected. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
