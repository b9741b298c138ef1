import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@pts/embedded/machine';
import { endProcess } from '@pts/testing/app-process';
import { eventually } from '@pts/testing/eventually';
import { serve } from '@pts/testing/http-server';
import { type Figure, figure } from './figure.ts';
import { call, registerReceiver } from './merchant.ts';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../../..');
const WAIT = { deadlineMs: 180_000, everyMs: 10 };
const BARE = `require('node:http').createServer((q, r) => r.end('ok')).listen(Number(process.argv[1]), '127.0.0.1')`;

/**
 * Seconds from starting the processes of `npm start` to the first answered request and to the first push about a number
 * that is registered then: in an empty folder, and with the database of the run before. Bare: a process with an HTTP
 * server alone.
 */
export async function benchStart(): Promise<Figure[]> {
  const dir = mkdtempSync(join(tmpdir(), 'pts-bench-start-'));
  try {
    const bare = await bareStart();
    const first = await start(dir);
    const again = await start(dir);
    return [
      figure('start', first.answered, bare, 's to the first answer'),
      figure('start main-job', first.pushed, bare, 's to the first push'),
      figure('start again', again.answered, bare, 's to the first answer'),
      figure('start again main-job', again.pushed, bare, 's to the first push'),
    ];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function bareStart(): Promise<number> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['-e', BARE, String(port)], { stdio: 'ignore' });
  await answers(`http://127.0.0.1:${port}/`);
  const seconds = secondsSince(startedAt);
  await endProcess(child);
  return seconds;
}

async function start(dir: string): Promise<{ answered: number; pushed: number }> {
  const port = await freePort();
  const readyFile = join(dir, 'ready.json');
  rmSync(readyFile, { force: true });
  const receiver = await startReceiver();
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['apps/standalone/dist/standalone.mjs'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port), STANDALONE_DIR: dir },
    stdio: 'ignore',
  });
  try {
    await answers(`http://127.0.0.1:${port}/healthz`);
    const answered = secondsSince(startedAt);
    const ready = await eventually(() => readReady(readyFile), WAIT);
    const merchant = { accountId: '', apiKey: ready.api_key };
    await registerReceiver(ready.base_url, merchant, receiver.url);
    await call(ready.base_url, merchant, '/trackings/create', { tracking_number: `SBXEXPRESS${Date.now()}` });
    await receiver.pushed;
    return { answered, pushed: secondsSince(startedAt) };
  } finally {
    await endProcess(child, 'SIGTERM');
    await receiver.close();
  }
}

async function startReceiver() {
  let onPush = () => {};
  const pushed = new Promise<void>((resolve) => {
    onPush = resolve;
  });
  const { url, close } = await serve((request, response) => {
    request.resume();
    response.end('ok');
    onPush();
  });
  return { url: `${url}/hook`, pushed, close };
}

function readReady(file: string): { base_url: string; api_key: string } {
  if (!existsSync(file)) throw new Error('the service is not ready');
  return JSON.parse(readFileSync(file, 'utf8'));
}

function answers(url: string): Promise<void> {
  return eventually(async () => {
    const { status } = await fetch(url);
    if (status !== 200) throw new Error(`${url} answers ${status}`);
  }, WAIT);
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1000;
}
