import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@pts/embedded/machine';
import { type App, outputOf, SHORT_LIVED } from '@pts/testing/app-process';
import { eventually } from '@pts/testing/eventually';
import { testServer } from '@pts/testing/stores';
import { newKey } from './merchant.ts';
import { tuning } from './tuning.ts';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');

export type Process = {
  app: App;
  /** Where it serves its metrics; not the sandbox carrier. */
  metricsUrl: string;
  output(): string;
  /** Resolves with the exit code, once all that it printed was read. */
  readonly exited: Promise<number | null>;
  /** Resolves when it has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again as it was, after it has ended. @param more further options of Node. */
  start(more?: readonly string[]): void;
};

export type Processes = {
  /** What is needed to create its merchants. */
  ready: { base_url: string; api_key: string };
  /** The same, of its other replicas. */
  others: readonly { base_url: string; api_key: string }[];
  sandboxUrl: string;
  all: readonly Process[];
  of(app: App): Process;
  output(): string;
  stop(): Promise<void>;
};

export type ProcessesOptions = {
  /** The checkout whose bundles run. */
  root?: string;
  /** The program of Node that runs them, and its options. */
  node?: string;
  flags?: readonly string[];
  /** Whom they run as, if not as this process. */
  user?: { uid?: number; gid?: number };
  /** The settings of the processes. */
  databaseUrl: string;
  /** The same database, without anything in between. */
  directUrl: string;
  env?: Record<string, string>;
  /** More of it for an address of the sandbox. */
  envFor?(sandboxUrl: string): Record<string, string>;
  /** Replicas of every process except the sandbox carrier, or of some. */
  replicas?: number | Partial<Record<App, number>>;
};

/** Starts the built sandbox carrier, API, poller and dispatcher on a migrated database and Redis, with an account. */
export async function startProcesses(options: ProcessesOptions): Promise<Processes> {
  const { root = ROOT, node = process.execPath, flags = [], user = {}, replicas = 1 } = options;
  const { databaseUrl, directUrl, env = {} } = options;
  const sandboxPort = await freePort();
  const replicasOf = (app: App) => (typeof replicas === 'number' ? replicas : (replicas[app] ?? 1));
  const apiPorts = await freePorts(replicasOf('api'));
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const shared = {
    PATH: process.env.PATH ?? '',
    ...SHORT_LIVED,
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl,
    REDIS_URL: testServer('TEST_REDIS_URL'),
    QUEUE_PREFIX: `{processes-${randomBytes(6).toString('hex')}}`,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    SANDBOX_URL: sandboxUrl,
    SANDBOX_SPEED: '10',
    CHECK_INTERVAL_SECONDS: '1',
    ...tuning(),
    RATE_LIMITS: 'off',
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOWED_TARGETS: '127.0.0.1/32',
    ...options.envFor?.(sandboxUrl),
    ...env,
  };
  const start = async (app: App, own: Record<string, string> = {}) =>
    startProcess({ root, node, flags, user, app }, { ...shared, MANAGEMENT_PORT: String(await freePort()), ...own });
  const replicate = (app: App) => Array.from({ length: replicasOf(app) }, () => start(app));
  const all = await Promise.all([
    start('sandbox-carrier', { PORT: String(sandboxPort) }),
    ...apiPorts.map((port) => start('api', { PORT: String(port) })),
    ...replicate('carrier-poller'),
    ...replicate('webhook-dispatcher'),
  ]);
  const output = () => all.map((each) => `${each.app}:\n${each.output()}`).join('\n');
  const stop = async () => void (await Promise.all(all.map((each) => each.stop('SIGKILL'))));
  const baseUrls = apiPorts.map((port) => `http://127.0.0.1:${port}`);
  try {
    await Promise.all([
      ...[...baseUrls, shared.SANDBOX_URL].map((url) =>
        alive(async () => expect((await fetch(`${url}/healthz`)).status).toBe(200), all),
      ),
      ...all
        .filter(({ app }) => app !== 'api' && app !== 'sandbox-carrier')
        .map((each) => alive(() => expect(each.output()).toMatch(/"ready"/), all)),
    ]);
    const { key: apiKey } = await newKey(directUrl);
    const [ready = { base_url: '', api_key: apiKey }, ...others] = baseUrls.map((base_url) => ({
      base_url,
      api_key: apiKey,
    }));
    return {
      ready,
      others,
      sandboxUrl,
      of: (app) => all.find((each) => each.app === app) as Process,
      all,
      output,
      stop,
    };
  } catch (error) {
    await stop();
    throw new Error(`${error instanceof Error ? error.message : error}\n${output()}`);
  }
}

async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort());
  return ports;
}

/** How often a process that ends before it is ready is started again, as on any platform. */
const STARTS = 5;

type Program = Required<Pick<ProcessesOptions, 'root' | 'node' | 'flags' | 'user'>> & { app: App };

function startProcess({ root, node, flags, user, app }: Program, env: Record<string, string>): Process {
  const file = join(root, `apps/${app}/dist/${app}.mjs`);
  const outputs: (() => string)[] = [];
  const output = () => outputs.map((each) => each()).join('');
  let child: ChildProcess;
  let isStopped: boolean;
  let exited: Promise<number | null>;
  const start = (more: readonly string[] = []) => {
    isStopped = false;
    exited = new Promise<number | null>((done) => {
      const tryToStart = (times: number) => {
        const started = spawn(node, [...flags, ...more, file], {
          ...user,
          cwd: root,
          env,
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        const its = outputOf(started);
        outputs.push(its);
        started.once('close', (code) => {
          if (isStopped || times === STARTS || its().includes('"ready"')) done(code);
          else tryToStart(times + 1);
        });
        child = started;
      };
      tryToStart(1);
    });
  };
  start();
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    isStopped = true;
    child.kill(signal);
    await exited;
  };
  return {
    app,
    metricsUrl: `http://127.0.0.1:${env.MANAGEMENT_PORT}/metrics`,
    output,
    get exited() {
      return exited;
    },
    stop,
    start,
  };
}

/** Waits for a check to hold, as long as every process lives. */
async function alive(check: () => unknown, all: readonly Process[]): Promise<void> {
  const ended = Promise.race(
    all.map(({ app, exited }) => exited.then((code) => Promise.reject(new Error(`${app} ended with ${code}`)))),
  );
  ended.catch(() => {});
  await Promise.race([eventually(async () => void (await check()), { everyMs: 100 }), ended]);
}
