import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PROCESSES, type ProcessName, SHORT_LIVED } from '@pts/testing/app-process';
import { ownTimeOf } from '@pts/testing/clock';
import { type TestDatabase, testDatabase } from '@pts/testing/database';
import { type Gate, startGate } from '@pts/testing/network-faults';
import { testServer } from '@pts/testing/stores';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
const ENDS_MS = 10_000;
/** One key for all: a database accepts only the first key that it was used with. */
const ENCRYPTION_KEY = randomBytes(32).toString('base64');
/** From before anything is loaded until long after the first attempts to connect. */
const MOMENTS_MS = [0, 300, 600, 1000, 1500, 2500, 4000];

let database: TestDatabase;
let postgres: Gate;
let redis: Gate;
beforeAll(async () => {
  database = await testDatabase();
  postgres = await startGate(database.url, 5432);
  redis = await startGate(testServer('TEST_REDIS_URL'), 6379);
}, 60_000);
afterAll(async () => {
  await Promise.all([postgres.close(), redis.close()]);
  await database.close();
});

/** Starts a process, sends it SIGTERM a moment later, and says how it ended. */
async function stopAfter(app: ProcessName, momentMs: number, env: Record<string, string>) {
  const child = spawn(process.execPath, [`apps/${app}/dist/${app}.mjs`], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...SHORT_LIVED, HOST: '127.0.0.1', PORT: '0', MANAGEMENT_PORT: '0', ...env },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  await delay(momentMs);
  const ms = await ownTimeOf(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const [code, signal] = await ended;
  return { momentMs, ms, how: code === 0 || signal === 'SIGTERM' ? 'well' : `code ${code}` };
}

test.each(PROCESSES.flatMap((app) => (['mute', 'open'] as const).map((state) => [app, state] as const)))(
  'SIGTERM ends a starting %s in under 10 s, with its stores being %s',
  async (app, state) => {
    postgres.set(state);
    redis.set(state);
    const env = {
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      QUEUE_PREFIX: `{${randomBytes(6).toString('hex')}}`,
      ENCRYPTION_KEY,
      PROVIDERS: 'sandbox',
      SANDBOX_URL: 'http://127.0.0.1:9',
    };
    // Two at a time: the machine could not run more.
    for (let n = 0; n < MOMENTS_MS.length; n += 2) {
      const moments = MOMENTS_MS.slice(n, n + 2);
      for (const { momentMs, ms, how } of await Promise.all(moments.map((moment) => stopAfter(app, moment, env))))
        expect({ momentMs, inTime: ms < ENDS_MS, how }).toEqual({ momentMs, inTime: true, how: 'well' });
    }
  },
  180_000,
);
