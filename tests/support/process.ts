import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freeAddresses, outputOf, type ProcessName, SHORT_LIVED } from '@pts/testing/app-process';
import { eventually } from '@pts/testing/eventually';
import { tuning } from './tuning.ts';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');

export type Readyz = { http: number; status: string; checks: Record<string, string> };

export type RunningProcess = {
  /** Of the API. */
  url: string;
  output(): string;
  /** The messages of its log, in their order. */
  messages(): string[];
  healthz(): Promise<number>;
  readyz(): Promise<Readyz>;
  metrics(): Promise<string>;
  /** Resolves with the exit code. */
  ended: Promise<number | null>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
};

/**
 * Starts one built process on free ports, with these settings and no others. Resolves when its management port answers,
 * or when it has ended.
 */
export async function startProcess(app: ProcessName, env: Record<string, string | undefined>): Promise<RunningProcess> {
  for (let attempt = 1; ; attempt++) {
    const started = await launch(app, env);
    let hasEnded = false;
    void started.ended.then(() => {
      hasEnded = true;
    });
    await eventually(async () => hasEnded || (await started.healthz()), { everyMs: 50 });
    // Others may bind a port that was free before the process does.
    if (!hasEnded || !/Port \d+ is in use/.test(started.output()) || attempt === 5) return started;
  }
}

async function launch(app: ProcessName, env: Record<string, string | undefined>): Promise<RunningProcess> {
  const addresses = await freeAddresses();
  const child = spawn(process.execPath, [`apps/${app}/dist/${app}.mjs`], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...SHORT_LIVED, ...tuning(), ...addresses.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = outputOf(child);
  const ended = new Promise<number | null>((done) => child.once('close', (code) => done(code)));
  const { url, managementUrl } = addresses;
  return {
    url,
    output,
    messages: () =>
      output()
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => (JSON.parse(line) as { msg: string }).msg),
    healthz: async () => (await fetch(`${managementUrl}/healthz`)).status,
    readyz: async () => {
      const response = await fetch(`${managementUrl}/readyz`);
      return { http: response.status, ...((await response.json()) as Omit<Readyz, 'http'>) };
    },
    metrics: async () => (await fetch(`${managementUrl}/metrics`)).text(),
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
    env: { PATH: process.env.PATH, ...SHORT_LIVED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = outputOf(child);
  return new Promise((done) => child.once('close', (code) => done({ code, output: output() })));
}
