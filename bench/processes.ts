import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@pts/embedded/free-port';
import { eventually } from '@pts/testing/eventually';
import { parseSamples, type Samples } from './samples.ts';

/** The bundle of the benchmarks is as deep below the root as this file. */
const ROOT = resolve(fileURLToPath(import.meta.url), '../../../..');

export type App = 'sandbox-carrier' | 'api' | 'carrier-poller' | 'webhook-dispatcher';

export type AppProcess = {
  app: App;
  pid: number;
  /** Where the API and the sandbox carrier listen. */
  url: string;
  metrics(): Promise<Samples>;
  stop(): Promise<void>;
};

/** Starts a built service with these settings and no others, and waits until it is ready. Its log goes to a file. */
export async function startApp(app: App, env: Readonly<Record<string, string>>): Promise<AppProcess> {
  const [port, managementPort] = [await freePort(), await freePort()];
  const dir = mkdtempSync(join(tmpdir(), 'pts-bench-'));
  const log = openSync(join(dir, 'log'), 'w');
  const child = spawn(process.execPath, ['--enable-source-maps', join(ROOT, `apps/${app}/dist/${app}.mjs`)], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: String(port),
      MANAGEMENT_HOST: '127.0.0.1',
      MANAGEMENT_PORT: String(managementPort),
      ...env,
    },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  // Waiting for its end must not keep this process running.
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const management = `http://127.0.0.1:${managementPort}`;
  const isReady = async () => {
    if (child.exitCode !== null) return;
    const { status } = await fetch(app === 'sandbox-carrier' ? `${url}/healthz` : `${management}/readyz`);
    if (status !== 200) throw new Error(`${app} is not ready: ${status}`);
  };
  await eventually(isReady, { deadlineMs: 60_000, everyMs: 50 });
  if (child.exitCode !== null) throw new Error(`${app} has ended:\n${readFileSync(join(dir, 'log'), 'utf8')}`);
  return {
    app,
    pid: child.pid ?? 0,
    url,
    metrics: async () => parseSamples(await (await fetch(`${management}/metrics`)).text()),
    stop: async () => {
      process.off('exit', kill);
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await exited;
      }
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
