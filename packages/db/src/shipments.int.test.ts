import { ATTENTION_DAYS, ATTENTION_REASONS, attentionOf } from '@pts/core/attention';
import { searchedTexts } from '@pts/core/search';
import { type ParcelProblem, PROBLEMS } from '@pts/core/tracking/scan';
import { ACTIVE_SUB_STATUSES, overallStatus, STATUSES, SUB_STATUSES } from '@pts/core/tracking/status';
import { openTestDatabase } from '@pts/testing/database';
import { freshNumber, newAccount, newTrackings } from '@pts/testing/factories';
import fc from 'fast-check';
import type { Tracking } from './generated/client.ts';
import { freshId } from './ids.ts';
import {
  BOUNDS,
  type Bounds,
  countAttention,
  countShipments,
  listShipments,
  NEWEST_CHANGE_FIRST,
  type ShipmentFilter,
  type ShipmentOrder,
} from './shipments.ts';
import { addSearchRows } from './testing/search-rows.ts';
import { deleteTracking, updateTracking } from './trackings/records.ts';

const NOW = new Date('2031-04-05T06:00:00.000Z');
const ago = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000);

const { db, close } = await openTestDatabase(4);
afterAll(close);

const find = async (filter: ShipmentFilter, order = NEWEST_CHANGE_FIRST) =>
  (await listShipments(db, { filter, order, limit: 200 })).rows.map(({ id }) => id);
const search = (accountId: string, q: string) => find({ accountId, texts: searchedTexts(q) ?? [] });

describe('a search', () => {
  let accountId: string;
  const given = { orderId: 'A-1001/x', title: 'Blue Jacket, 蓝色外套 size M' };
  beforeEach(async () => {
    accountId = await newAccount(db, NOW);
  });

  test.each([
    ['part of the number, in any case', 'yt0000', true],
    ['part of the number with separators', 'yt 000-0', true],
    ['part of the order id', '1001/X', true],
    ['the order id as it is written', 'a-1001', true],
    ['part of the title', 'jacket, ', true],
    ['a Chinese word of two characters', '外套', true],
    ['words in Chinese and English', '外套 size', true],
    ['a long part of the title', 'ue jacket, 蓝色外套 si', true],
    ['what begins in one field and ends in another', `1001/xBlue`, false],
    ['another text', 'blue shirt', false],
    ['a pattern of the database', 'blue%m', false],
  ])('for %s: %s', async (_what, q, isFound) => {
    const ids = await newTrackings(db, accountId, [freshNumber()], NOW, given);
    expect(await search(accountId, q)).toEqual(isFound ? ids : []);
  });

  test('for an order or an entry of the metadata finds what is exactly that, also after a change', async () => {
    const [id = ''] = await newTrackings(db, accountId, [freshNumber()], NOW, {
      ...given,
      metadata: { shop: 's1', x: '' },
    });
    const [bare = ''] = await newTrackings(db, accountId, [freshNumber()], NOW);
    const found = async () => ({
      orders: await find({ accountId, orderIds: ['A-1001/x', 'none'] }),
      parts: await find({ accountId, orderIds: ['A-1001', 'a-1001/x', ''] }),
      shop: await find({ accountId, metadata: { shop: 's1', x: '' } }),
      other: await find({ accountId, metadata: { shop: 's1', x: 'y' } }),
    });
    expect(await found()).toEqual({ orders: [id], parts: [], shop: [id], other: [] });
    await updateTracking(db, { accountId, id, change: { metadata: { shop: 's1', x: 'y' }, orderId: null }, now: NOW });
    expect(await found()).toEqual({ orders: [], parts: [], shop: [], other: [id] });
    await updateTracking(db, { accountId, id: bare, change: { orderId: 'A-1001/x' }, now: NOW });
    expect((await found()).orders).toEqual([bare]);
  });

  test('finds a parcel under what was changed, and no longer under what it was', async () => {
    const [id = ''] = await newTrackings(db, accountId, [freshNumber()], NOW, given);
    await updateTracking(db, { accountId, id, change: { title: 'Red shirt', orderId: null }, now: NOW });
    expect(await search(accountId, 'red sh')).toEqual([id]);
    expect(await search(accountId, 'jacket')).toEqual([]);
    expect(await search(accountId, '1001')).toEqual([]);
    await db.tracking.update({ where: { id }, data: { carrier: 'ups' } });
    expect(await find({ accountId, carrier: 'ups' })).toEqual([id]);
    expect(await find({ accountId, carrier: 'yto' })).toEqual([]);
  });

  test('finds only the parcels of its account', async () => {
    const number = freshNumber();
    const other = await newAccount(db, NOW);
    await newTrackings(db, other, [number], NOW, given);
    const ids = await newTrackings(db, accountId, [number], NOW, given);
    expect(await search(accountId, number)).toEqual(ids);
    expect(await search(accountId, 'jacket')).toEqual(ids);
  });

  test('leaves nothing of a deleted parcel, or of a deleted account', async () => {
    const ids = await newTrackings(db, accountId, [freshNumber(), freshNumber()], NOW, given);
    await deleteTracking(db, { accountId, id: ids[0] ?? '', now: new Date() });
    expect(await db.trackingSearch.count({ where: { accountId } })).toBe(1);
    await db.account.delete({ where: { id: accountId } });
    expect(await db.trackingSearch.count({ where: { accountId } })).toBe(0);
  });
});

describe('lists', () => {
  const TEXTS = ['Blue jacket', 'Red shirt', '蓝色外套', null];
  const CARRIERS = ['yto', 'ups', 'dhl'];
  const undecided = { candidates: [{ carrier: 'yto', provider: 'scripted' }], at: 0 };
  let accountId: string;
  let parcels: Tracking[];

  beforeAll(async () => {
    const other = await newAccount(db, NOW);
    accountId = await newAccount(db, NOW);
    const pick = <T>(values: readonly T[], n: number) => values[n % values.length] as T;
    // Groups of parcels have the same times, as after a batch.
    const rows = Array.from({ length: 400 }, (_, n) => {
      const createdAt = ago(3 * Math.floor(n / 4));
      const subStatus = pick(SUB_STATUSES, n * 7);
      const day = ago(24 * (n % 15))
        .toISOString()
        .slice(0, 10);
      const problem = pick([...PROBLEMS, null] as const, n);
      return {
        id: freshId(createdAt),
        accountId: n % 5 === 0 ? other : accountId,
        trackingNumber: `N${(n * 7919) % 1000}X${n}`,
        carrier: pick(CARRIERS, n * n),
        detected: n % 2 === 0,
        provider: 'scripted',
        status: overallStatus(subStatus, pick(STATUSES, n * 3)),
        subStatus,
        ...(n % 3 === 0 ? { candidates: undecided } : {}),
        ...(n % 11 === 0 ? { stoppedAt: NOW } : {}),
        annotations: {
          ...(problem === null ? {} : { problem }),
          ...(n % 3 === 0 ? {} : { estimate: { to: n % 2 === 0 ? day : `${day}T10:00:00Z` } }),
        },
        orderId: n % 3 === 0 ? null : `A-${n % 50}`,
        ...(n % 2 === 0 ? { metadata: { shop: `s${n % 4}`, lane: `l${n % 3}` } } : {}),
        title: pick(TEXTS, n),
        createdAt,
        updatedAt: new Date(Math.min(NOW.getTime(), createdAt.getTime() + ((n * 31) % 40) * 600_000)),
      };
    });
    await db.tracking.createMany({ data: rows });
    await addSearchRows(db);
    parcels = await db.tracking.findMany({ where: { accountId } });
  });

  /** The same filter, without the database. */
  function matches(t: Tracking, filter: ShipmentFilter): boolean {
    const { states, carrier, texts, attention, created = {}, updated = {} } = filter;
    const { orderIds, metadata } = filter;
    const own = (t.metadata ?? {}) as Record<string, string>;
    const isIn = (at: Date, { from, until }: NonNullable<ShipmentFilter['created']>) =>
      (from === undefined || at >= from) && (until === undefined || at < until);
    const searched = [t.trackingNumber, t.orderId, t.title].join('\n').toLowerCase();
    const { problem = null, estimate = null } = (t.annotations ?? {}) as {
      problem?: ParcelProblem;
      estimate?: { to: string };
    };
    const judged = {
      ...t,
      subStatus: t.subStatus as (typeof SUB_STATUSES)[number],
      isUndecided: t.detected && t.candidates !== null,
      problem,
      estimate,
    };
    const reason = attentionOf(judged, NOW, ATTENTION_DAYS)?.reason;
    return (
      (states === undefined || states.some((state) => state === t.status || state === t.subStatus)) &&
      (carrier === undefined || t.carrier === carrier) &&
      (texts === undefined || texts.some((text) => searched.includes(text.toLowerCase()))) &&
      (orderIds === undefined || orderIds.includes(t.orderId ?? '')) &&
      (metadata === undefined || Object.entries(metadata).every(([key, value]) => own[key] === value)) &&
      (attention === undefined || (reason !== undefined && attention.reasons.includes(reason))) &&
      isIn(t.createdAt, created) &&
      isIn(t.updatedAt, updated)
    );
  }

  const range = fc
    .record({ from: fc.integer({ min: 1, max: 300 }), until: fc.integer({ min: 0, max: 200 }) })
    .map(({ from, until }) => ({ from: ago(from), until: ago(until) }));
  const parts = {
    states: fc.oneof(
      fc.constantFrom(...STATUSES, ...SUB_STATUSES).map((state) => [state]),
      fc.constant(ACTIVE_SUB_STATUSES),
    ),
    carrier: fc.constantFrom(...CARRIERS),
    orderIds: fc.constantFrom(['A-1'], ['A-1', 'A-2'], ['A-10'], ['a-1']),
    metadata: fc.constantFrom<Record<string, string>>(
      { shop: 's2' },
      { shop: 's2', lane: 'l2' },
      { shop: 'S2' },
      { lane: 's2' },
    ),
    texts: fc.constantFrom('n7', 'x12', 'jacket', '外套', 'A-1', 'none at all').map((q) => [q, q.replace('-', '')]),
    attention: fc
      .oneof(
        fc.constant(ATTENTION_REASONS),
        fc.constantFrom(...ATTENTION_REASONS).map((reason) => [reason]),
      )
      .map((reasons) => ({ reasons, now: NOW, days: ATTENTION_DAYS })),
    created: range,
    updated: range,
  };
  /** One or two parts: more match too few parcels for a second page. */
  const filters = fc
    .tuple(fc.record(parts), fc.subarray(Object.keys(parts) as (keyof typeof parts)[], { maxLength: 2 }))
    .map(([all, names]) => Object.fromEntries(names.map((name) => [name, all[name]])));
  const orders = fc.record({ by: fc.constantFrom('updated' as const, 'created' as const), isAscending: fc.boolean() });
  const bounds: fc.Arbitrary<Bounds> = fc.constantFrom(
    BOUNDS,
    { near: 5, candidates: 1000, far: 40, texts: 1000 },
    { near: 5, candidates: 1000, far: 1, texts: 40 },
    { near: 5, candidates: 10, far: 40, texts: 40 },
    { near: 1, candidates: 200, far: 2, texts: 2 },
    { near: 1, candidates: 0, far: 7, texts: 7 },
  );

  async function readAll(filter: ShipmentFilter, order: ShipmentOrder, limit: number, read: Bounds): Promise<string[]> {
    const ids: string[] = [];
    for (let after: Parameters<typeof listShipments>[1]['after']; ; ) {
      const page = await listShipments(db, { filter, order, after, limit }, read);
      ids.push(...page.rows.map(({ id }) => id));
      expect(page.rows.length).toBeLessThanOrEqual(limit);
      expect(ids.length).toBeLessThanOrEqual(parcels.length);
      if (page.next === null) return ids;
      after = page.next;
    }
  }

  test('have exactly the parcels that match, each once, in their order, whatever is read for them', async () => {
    await fc.assert(
      fc.asyncProperty(filters, orders, bounds, fc.constantFrom(20, 50), async (given, order, read, limit) => {
        const filter = { ...given, accountId };
        const keyOf = (t: Tracking) => (order.by === 'created' ? t.id : `${t.updatedAt.toISOString()} ${t.id}`);
        const expected = parcels
          .filter((t) => matches(t, filter))
          .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1) * (order.isAscending ? 1 : -1));
        expect(await readAll(filter, order, limit, read)).toEqual(expected.map(({ id }) => id));
        const { total, isLowerBound } = await countShipments(db, filter, read);
        expect(isLowerBound ? total <= expected.length : total === expected.length).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test('are counted completely, as long as that is cheap', async () => {
    const texts = ['jacket'];
    const count = parcels.filter((t) => matches(t, { accountId, texts })).length;
    expect(await countShipments(db, { accountId, texts })).toEqual({ total: count, isLowerBound: false });
    const few = await countShipments(db, { accountId, texts }, { near: 10, candidates: 10, far: 20, texts: 20 });
    expect(few.isLowerBound).toBe(true);
    expect(few.total).toBeLessThan(count);
  });

  test('the summary counts the parcels that need attention by their reasons', async () => {
    const counts = await countAttention(db, accountId, { now: NOW, days: ATTENTION_DAYS });
    for (const reason of ATTENTION_REASONS) {
      const attention = { reasons: [reason], now: NOW, days: ATTENTION_DAYS };
      expect([reason, counts.get(reason)]).toEqual([
        reason,
        parcels.filter((t) => matches(t, { accountId, attention })).length,
      ]);
    }
  });
});
