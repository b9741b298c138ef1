import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { normaliseNumber } from '@pts/core/tracking/number';
import type { TestHaproxy } from '@pts/testing/servers/haproxy';
import { newMerchant } from '../http/accounts.ts';
import { type Figure, figure } from '../parts/figure.ts';
import { percentile } from '../parts/samples.ts';
import { type Caller, callerOf } from './calls.ts';
import { type Cell, digestOf, setMap } from './cell.ts';
import { expectInFeeds, type Receiver, startReceiver } from './events.ts';
import { untilServed } from './routing.ts';

const PARCELS = 400;
const PAGE = 50;
const LISTS = 50;

type Shipment = { id: string; tracking_number: string; updated_at: string };

/**
 * A merchant with an account, and so a key, in each cell, whose client chooses by the hash of the number: what it can do as with
 * one account, and what a cell that is killed costs it. @throws if a promise of docs/scaling.md is broken
 */
export async function tryOneMerchant(router: TestHaproxy, cells: readonly Cell[]): Promise<Figure[]> {
  const receiver = await startReceiver();
  try {
    const calls: Caller[] = [];
    for (const cell of cells) {
      const { apiKey } = await newMerchant(cell.running.db);
      await setMap(router, [digestOf(apiKey)], cell.name);
      const call = callerOf(router.url, apiKey);
      await receiver.addTo(call);
      calls.push(call);
    }
    return await tryCalls(router, { cells, calls, receiver });
  } finally {
    await receiver.close();
  }
}

type Merchant = { cells: readonly Cell[]; calls: readonly Caller[]; receiver: Receiver };

async function tryCalls(router: TestHaproxy, { cells, calls, receiver }: Merchant): Promise<Figure[]> {
  const numbers = Array.from({ length: PARCELS }, (_, n) => `SBXEXPRESS${Date.now()}${n}`);
  const shares = await registerAll(calls, numbers);
  assert.equal(shares.refused, 0);
  const listed = await listAll(calls);
  assert.deepEqual(listed.map(({ tracking_number: number }) => number).sort(), numbers.toSorted());
  const updates = listed.map(({ updated_at: at }) => at);
  assert.deepEqual(updates, updates.toSorted().reverse());
  await expectInFeeds(calls, await receiver.idsOfPushes(numbers));
  const quota = await Promise.all(calls.map(async (call) => (await call('GET', '/account')).body.data.quota_used));
  assert.equal(
    quota.reduce((sum, used) => sum + used, 0),
    PARCELS,
  );
  const [one = [], both] = [
    await timed(() => calls[0]?.('GET', `/shipments?limit=${PAGE}`)),
    await timed(() => pageOf(calls)),
  ];
  const lost = await withoutLast(calls, cells);
  for (const cell of cells) await untilServed(router, cell);
  return [
    figure('cells merged list', percentile(both, 0.5), percentile(one, 0.5), 'ms p50 of a page of 50'),
    figure(
      'cells share',
      (100 * Math.max(...shares.each)) / PARCELS,
      100 / cells.length,
      '% of the numbers in the largest',
    ),
    figure('cells share lost', 100 * lost.refused, 100 / cells.length, '% of registrations, with one cell killed'),
  ];
}

/** The same cell for every spelling of a number. */
function cellOf(number: string, count: number): number {
  const digest = createHash('sha256')
    .update(normaliseNumber(number) ?? number)
    .digest();
  return digest.readUInt32BE() % count;
}

/** Batches of 40 for each cell. @returns how many numbers each cell has, and how many it refused */
async function registerAll(calls: readonly Caller[], numbers: readonly string[]) {
  let refused = 0;
  const each = await Promise.all(
    calls.map(async (call, cell) => {
      const own = numbers.filter((number) => cellOf(number, calls.length) === cell);
      for (let n = 0; n < own.length; n += 40) {
        const batch = own.slice(n, n + 40);
        const { status } = await call('POST', '/trackings/batch', { tracking_numbers: batch });
        if (status !== 200) refused += batch.length;
      }
      return own.length;
    }),
  );
  return { each, refused };
}

/** The first page of all parcels, newest update first: as many rows from each cell, of which the newest are shown. */
async function pageOf(calls: readonly Caller[]): Promise<Shipment[]> {
  const pages = await Promise.all(calls.map((call) => call('GET', `/shipments?limit=${PAGE}`)));
  return pages
    .flatMap(({ body }) => body.data.shipments as Shipment[])
    .sort(newestFirst)
    .slice(0, PAGE);
}

/** All parcels. Parcels that change meanwhile come again, as in a list of one cell. */
async function listAll(calls: readonly Caller[]): Promise<Shipment[]> {
  const lists = await Promise.all(
    calls.map(async (call) => {
      const all = new Map<string, Shipment>();
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { body } = await call('GET', `/shipments?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
        for (const row of body.data.shipments as Shipment[]) all.set(row.id, row);
        cursor = body.data.next_cursor ?? null;
      }
      return [...all.values()];
    }),
  );
  return lists.flat().sort(newestFirst);
}

function newestFirst(a: Shipment, b: Shipment): number {
  return a.updated_at === b.updated_at ? 0 : a.updated_at < b.updated_at ? 1 : -1;
}

async function timed(work: () => unknown): Promise<number[]> {
  const ms: number[] = [];
  for (let n = 0; n < LISTS; n++) {
    const startedAt = performance.now();
    await work();
    ms.push(performance.now() - startedAt);
  }
  return ms;
}

/** With the last cell killed, the other numbers are registered. */
async function withoutLast(calls: readonly Caller[], cells: readonly Cell[]): Promise<{ refused: number }> {
  await cells.at(-1)?.kill();
  const numbers = Array.from({ length: PARCELS }, (_, n) => `SBXORDINARY${Date.now()}${n}`);
  const { each, refused } = await registerAll(calls, numbers);
  assert.equal(refused, each.at(-1));
  await cells.at(-1)?.start();
  return { refused: refused / PARCELS };
}
