import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@pts/embedded/free-port';
import { eventually } from '@pts/testing/eventually';
import { PATIENT_DATABASE } from './patient-database.ts';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');

export const PROCESSES = ['api', 'carrier-poller', 'webhook-dispatcher'] as const;
export type ProcessName = (typeof PROCESSES)[number];

export type Readyz = { http: number; status: string; checks: Record<string, string> };

export type RunningProcess = {
  /** Of the API. */
  url: string;
  output(): string;
  /** The messages of its log, in their order. */
  messages(): string[];
  healthz(): Promise<number>;
  readyz(): Promise<Readyz>;
  /** Resolves with the exit code. */
  ended: Promise<number | null>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
};

/**
 * Starts one built process on free ports, with these settings and no others. Resolves when its management port answers, or
 * when it has ended.
 */
export async function startProcess(app: ProcessName, env: Record<string, string | undefined>): Promise<RunningProcess> {
  for (let attempt = 1; ; attempt++) {
    const started = await launch(app, env);
    let hasEnded = false;
    void started.ended.then(() => {
      hasEnded = true;
    });
    await eventually(async () => hasEnded || (await started.healthz()), { deadlineMs: 120_000, everyMs: 50 });
    // Others may bind a port that was free before the process does.
    if (!hasEnded || !/Port \d+ is in use/.test(started.output()) || attempt === 5) return started;
  }
}

async function launch(app: ProcessName, env: Record<string, string | undefined>): Promise<RunningProcess> {
  const [port, managementPort] = [await freePort(), await freePort()];
  const child: ChildProcess = spawn(process.execPath, [`apps/${app}/dist/${app}.mjs`], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      ...PATIENT_DATABASE,
      HOST: '127.0.0.1',
      PORT: String(port),
      MANAGEMENT_HOST: '127.0.0.1',
      MANAGEMENT_PORT: String(managementPort),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
  const ended = new Promise<number | null>((done) => child.once('close', (code) => done(code)));
  const management = `http://127.0.0.1:${managementPort}`;
  return {
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    messages: () =>
      output
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => (JSON.parse(line) as { msg: string }).msg),
    healthz: async () => (await fetch(`${management}/healthz`)).status,
    readyz: async () => {
      const response = await fetch(`${management}/readyz`);
      return { http: response.status, ...((await response.json()) as Omit<Readyz, 'http'>) };
    },
    ended,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
}

/** The output of the admin command line; resolves with its exit code. */
export function runAdmin(
  args: string[],
  env: Record<string, string | undefined>,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, ['apps/admin/dist/admin.mjs', ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  return new Promise((done) => child.once('close', (code) => done({ code, output })));
}
