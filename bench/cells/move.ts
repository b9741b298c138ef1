import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestHaproxy } from '@pts/testing/servers/haproxy';
import { type Merchant, newMerchant } from '../http/accounts.ts';
import { type Figure, figure } from '../parts/figure.ts';
import { seedParcels } from '../seed/seed.ts';
import { assertServed, type Caller, callerOf, callFor } from './calls.ts';
import { type Cell, keysOf, setMap } from './cell.ts';
import { type Receiver, startReceiver } from './events.ts';

/** The bundle of the benchmarks is as deep below the root as this file. */
const ROOT = resolve(fileURLToPath(import.meta.url), '../../../..');
const PARCELS = 10_000;
const REGISTRATIONS_PER_SECOND = 10;
const RETRY_MS = 100;
/** Longer than DATABASE_REQUEST_TIMEOUT_MS and 150 ms by default: requests that arrived before have ended. */
const IN_FLIGHT_MS = 1000;

/** Moves an account from one cell to another one while it registers parcels: no request and no push is lost. @throws if one is */
export async function tryMove(router: TestHaproxy, from: Cell, to: Cell): Promise<Figure[]> {
  const receiver = await startReceiver();
  const merchant = await newMerchant(from.running.db);
  try {
    await fill(from, merchant, receiver);
    await setMap(router, await keysOf(from.databaseUrl, merchant.accountId), from.name);
    const call = callerOf(router.url, merchant.apiKey);
    const { body: feed } = await call('GET', '/events?after=latest');
    const load = startLoad(call);
    const other = callFor(callerOf(router.url, to.merchant.apiKey), { perSecond: 20, seconds: 5 });
    await delay(1000);
    const { rows, copySeconds } = await move(router, merchant.accountId, { from, to });
    await delay(1000);
    const seen = await load.stop();
    assertServed(await other);
    await expectMoved(call, to, merchant, seen.registered);
    await expectFeedToStartOver(call, feed.data.next_cursor);
    await receiver.idsOfPushes(seen.registered);
    return [
      figure('cells move refused', seen.refusedMs / 1000, Number.NaN, `s, with ${rows} rows`),
      figure('cells move copied', copySeconds, Number.NaN, 's for the command that copies'),
    ];
  } finally {
    await receiver.close();
  }
}

async function fill(cell: Cell, { accountId, apiKey }: Merchant, receiver: Receiver): Promise<void> {
  await receiver.addTo(callerOf(`http://${cell.address}`, apiKey));
  const parcels = { accountId, total: PARCELS, changing: 0.05, intervalSeconds: 300, now: new Date() };
  await seedParcels(cell.running.db, parcels, () => {});
}

/** The steps of examples/cells/README.md. */
async function move(router: TestHaproxy, accountId: string, { from, to }: { from: Cell; to: Cell }) {
  const keys = await keysOf(from.databaseUrl, accountId);
  await setMap(router, keys, 'moving');
  await delay(IN_FLIGHT_MS);
  await admin(from, 'accounts', 'disable', accountId);
  const startedAt = performance.now();
  const { copied } = await admin(from, 'accounts', 'copy', accountId, { TARGET_DATABASE_URL: to.databaseUrl });
  const copySeconds = (performance.now() - startedAt) / 1000;
  await admin(to, 'accounts', 'enable', accountId);
  await setMap(router, await keysOf(to.databaseUrl, accountId), to.name);
  await admin(from, 'accounts', 'delete', accountId, '--confirm', 'bench');
  const rows = Object.values(copied as Record<string, { stored: number }>).reduce((sum, { stored }) => sum + stored, 0);
  return { rows, copySeconds };
}

async function admin(cell: Cell, ...args: (string | Record<string, string>)[]) {
  const env = args.filter((each) => typeof each !== 'string');
  const words = args.filter((each) => typeof each === 'string');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(ROOT, 'apps/admin/dist/admin.mjs'), ...words, '--json'],
    { env: Object.assign({ PATH: process.env.PATH }, cell.env, ...env), maxBuffer: 16 * 1024 * 1024 },
  );
  return JSON.parse(stdout);
}

/** Registers numbers one after the other, each until it is accepted. */
function startLoad(call: Caller) {
  let isOpen = true;
  const registered: string[] = [];
  let refusedMs = 0;
  const running = (async () => {
    while (isOpen) {
      const number = `SBXEXPRESS${Date.now()}`;
      const refusedAt = performance.now();
      for (let tries = 1; ; tries++) {
        const { status, body } = await call('POST', '/trackings/create', { tracking_number: number });
        if (status === 200) {
          if (tries > 1) refusedMs = Math.max(refusedMs, performance.now() - refusedAt);
          break;
        }
        assert.equal(status, 503, JSON.stringify(body));
        await delay(RETRY_MS);
      }
      registered.push(number);
      await delay(1000 / REGISTRATIONS_PER_SECOND);
    }
  })();
  running.catch(() => {});
  return {
    stop: async () => {
      isOpen = false;
      await running;
      return { registered, refusedMs };
    },
  };
}

/** Everything that was accepted is there, once, and charged once; nothing is left behind. */
async function expectMoved(call: Caller, to: Cell, { accountId }: Merchant, registered: readonly string[]) {
  assert.notEqual(registered.length, 0);
  for (let n = 0; n < registered.length; n += 40) {
    const numbers = registered.slice(n, n + 40);
    const { body } = await call('GET', `/trackings/get?tracking_numbers=${numbers.join(',')}`);
    assert.equal(body.data.success.length, numbers.length);
  }
  const { body } = await call('GET', '/account');
  assert.equal(body.data.quota_used, registered.length);
  const there = await to.running.db.tracking.count({ where: { accountId } });
  assert.equal(there, PARCELS + registered.length);
}

/** A cursor of the former cell is refused with one that goes on. */
async function expectFeedToStartOver(call: Caller, cursor: string): Promise<void> {
  const after = (from: string) => call('GET', `/events?limit=1&after=${encodeURIComponent(from)}`);
  const refused = await after(cursor);
  assert.equal(refused.status, 409);
  assert.equal((await after(refused.body.data.next_cursor)).status, 200);
}
