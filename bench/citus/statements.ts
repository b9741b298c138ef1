import assert from 'node:assert/strict';
import type { ParcelKey } from '@pts/core/tracking/check';
import { findKeyHolder } from '@pts/db/accounts/keys';
import { eraseAccount } from '@pts/db/accounts/personal-data';
import { type ChangedAnswer, expireTrackings, saveBatch } from '@pts/db/checks/answers';
import { claimChecks, takeDue } from '@pts/db/checks/claim';
import { moveDueChecks } from '@pts/db/checks/moves';
import { findExpired, markFailing, moveToMonitored, wantMonitored } from '@pts/db/checks/schedule';
import type { Db } from '@pts/db/connection/client';
import { recordAttempts, takeAndLoad } from '@pts/db/deliveries/attempts';
import { listEvents } from '@pts/db/deliveries/events';
import { rotateHistory } from '@pts/db/deliveries/history';
import { listAttempts } from '@pts/db/deliveries/log';
import { pendingEndpoints } from '@pts/db/deliveries/pending';
import { feedReplays } from '@pts/db/deliveries/replays';
import { prune } from '@pts/db/deliveries/retention';
import { countShipments } from '@pts/db/shipments/count';
import { listShipments } from '@pts/db/shipments/list';
import { NEWEST_CHANGE_FIRST } from '@pts/db/shipments/shipment';
import { foldStats } from '@pts/db/stats/fold';
import { findWatched } from '@pts/db/subscriptions/callbacks';
import { storeRegistrations } from '@pts/db/trackings/register';
import { type Merchant, newMerchant } from '../http/accounts.ts';

/** Accounts with parcels; so many that each worker has some. */
const ACCOUNTS = 6;
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
const PROVIDER = 'scripted';

export type Account = Merchant & { webhookId: string; trackingIds: string[]; messageId: string };
export type Fixture = { accounts: Account[]; now: Date };

/** Something that the service does, with the statements that it does it with. @throws if that fails */
export type Work = { name: string; run(db: Db, fixture: Fixture): Promise<unknown> };

const first = ({ accounts }: Fixture) => accounts[0] as Account;
const parcelOf = ({ accountId, trackingIds }: Account) => ({ trackingId: trackingIds[0] ?? '', accountId });
const answerFor = (parcel: ParcelKey, now: Date): ChangedAnswer => ({
  ...parcel,
  fingerprint: 'first',
  finalLook: false,
  answer: {
    kind: 'found',
    scans: [
      {
        time: `${now.toISOString().slice(0, 19)}Z`,
        timeRaw: '',
        zoneSource: 'carrier',
        location: '云溪市',
        description: '已取件',
        status: 'in_transit',
      },
    ],
  },
});
const registering = (accountId: string, trackingNumber: string, now: Date) => ({
  accountId,
  quotaLimit: 1000,
  registrations: [{ trackingNumber, carrier: 'yto', provider: PROVIDER, detected: true }],
  now,
});

export const WORK: readonly Work[] = [
  {
    name: 'find the account of a key',
    run: async (db, fixture) => assert.ok(await findKeyHolder(db, first(fixture).apiKey)),
  },
  {
    name: 'register a number, with its charge',
    run: async (db, fixture) => {
      const { accountId } = first(fixture);
      const result = await storeRegistrations(db, registering(accountId, 'YT0000000000001', fixture.now));
      assert.equal(result.kind, 'registered');
    },
  },
  {
    name: 'claim due checks (`SKIP LOCKED`)',
    run: async (db, { now }) =>
      assert.ok((await claimChecks(db, { provider: PROVIDER, limit: 3, cadence: CADENCE, now })).length),
  },
  {
    name: 'claim checks of a job',
    run: async (db, fixture) => {
      const { trackingIds: ids, accountId } = first(fixture);
      const claim = { provider: PROVIDER, limit: 3, cadence: CADENCE, now: fixture.now };
      assert.ok((await claimChecks(db, claim, { ids, accounts: ids.map(() => accountId) })).length);
    },
  },
  {
    name: 'take a slot',
    run: async (db, { now }) => {
      const taken = await takeDue(db, { provider: 'slotted', limit: 100, cadence: CADENCE, now });
      assert.ok(taken.checks.length);
      await taken.settle();
    },
  },
  {
    name: 'store an answer: snapshot, check, event, delivery',
    run: async (db, fixture) => {
      const { pending } = await saveBatch(db, [answerFor(parcelOf(first(fixture)), fixture.now)], CADENCE, fixture.now);
      assert.equal(pending.length, 1);
    },
  },
  {
    name: 'store answers of several accounts',
    run: async (db, { accounts, now }) => {
      const parcels = accounts.slice(1).map(parcelOf);
      const { pending } = await saveBatch(
        db,
        parcels.map((parcel) => answerFor(parcel, now)),
        CADENCE,
        now,
      );
      assert.equal(pending.length, parcels.length);
    },
  },
  {
    name: 'note failed checks',
    run: (db, fixture) =>
      markFailing(db, PROVIDER, [{ ...parcelOf(first(fixture)), failure: 'temporary' }], fixture.now),
  },
  { name: 'find parcels without news', run: (db, { now }) => findExpired(db, 10, now) },
  {
    name: 'expire a parcel',
    run: (db, fixture) => expireTrackings(db, [parcelOf(first(fixture))], CADENCE, fixture.now),
  },
  {
    name: 'move checks to another provider',
    run: (db, { now }) =>
      moveDueChecks(db, {
        provider: PROVIDER,
        limit: 10,
        now,
        overdueSeconds: 0,
        to: [{ carrier: 'yto', provider: 'other', floorSeconds: 0 }],
      }),
  },
  {
    name: 'shorten the intervals of an account',
    run: async (db, fixture) => {
      await wantMonitored(db, first(fixture).accountId);
      await moveToMonitored(db, { monitoredSeconds: 300, floors: { [PROVIDER]: 0 }, now: fixture.now });
    },
  },
  { name: 'find who watches a pushed number', run: (db) => findWatched(db, PROVIDER, 'SEED-0-0') },
  {
    name: 'find endpoints with pending deliveries',
    run: async (db) => assert.ok((await pendingEndpoints(db)).length),
  },
  {
    name: 'take the lease of an endpoint and load',
    run: async (db, fixture) => {
      const { webhookId, accountId } = first(fixture);
      const request = { webhookId, accountId, after: null, inFlight: [], page: { fresh: 96, late: 32 } };
      assert.ok((await takeAndLoad(db, 'bench', [request], fixture.now)).due.length);
    },
  },
  {
    name: 'record an attempt',
    run: async (db, fixture) => {
      const { accountId, webhookId, messageId } = first(fixture);
      const outcome = {
        deliveryId: '1',
        messageId,
        webhookId,
        accountId,
        event: 'tracking_update',
        attempt: 1,
        round: 0,
        startedAt: fixture.now,
        statusCode: 200,
        error: null,
        durationMs: 5,
        responseExcerpt: null,
        trace: null,
        state: 'delivered' as const,
        nextAttemptAt: null,
      };
      await recordAttempts(db, [outcome]);
      assert.equal(await db.deliveryAttempt.count({ where: { accountId } }), 1);
    },
  },
  {
    name: 'read the feed of events',
    run: async (db, fixture) => {
      const { accountId } = first(fixture);
      assert.ok((await listEvents(db, { accountId, after: { xact: 0n, position: 0n }, limit: 10 })).events.length);
    },
  },
  {
    name: 'list the delivery log',
    run: (db, fixture) => listAttempts(db, { accountId: first(fixture).accountId, limit: 10 }),
  },
  { name: 'send a time range again', run: (db, { now }) => feedReplays(db, now) },
  {
    name: 'list parcels',
    run: async (db, fixture) => {
      const filter = { accountId: first(fixture).accountId };
      assert.ok((await listShipments(db, { filter, order: NEWEST_CHANGE_FIRST, limit: 10 })).rows.length);
    },
  },
  {
    name: 'search parcels',
    run: async (db, fixture) => {
      const filter = { accountId: first(fixture).accountId, texts: ['seed'] };
      assert.ok((await listShipments(db, { filter, order: NEWEST_CHANGE_FIRST, limit: 10 })).rows.length);
    },
  },
  { name: 'count parcels', run: (db, fixture) => countShipments(db, { accountId: first(fixture).accountId }) },
  { name: 'fold figures', run: (db) => foldStats(db, () => null) },
  {
    name: 'rotate partitions',
    run: async (db, { now }) => {
      const before = await db.message.count();
      await rotateHistory(db, { retentionDays: 30, now });
      assert.equal(await db.message.count(), before, 'messages are gone that nobody has deleted');
    },
  },
  { name: 'delete expired history', run: (db, { now }) => prune(db, { before: now, overdue: now, batch: 10 }) },
  { name: 'erase an account', run: (db, { accounts }) => eraseAccount(db, accounts.at(-1)?.accountId ?? '') },
];

/** Rows for all of the above, by statements that any engine takes: one row each, with its account. */
export async function storeFixture(db: Db): Promise<Fixture> {
  const now = new Date();
  const at = now.toISOString();
  const accounts: Account[] = [];
  const run = (sql: string) => db.$executeRawUnsafe(sql);
  await run(
    `INSERT INTO check_slots (provider, ring, slot, due_at, period_seconds, floor_seconds, size, entered_at) VALUES ('slotted', 0, 1, '${at}', 300, 0, ${ACCOUNTS}, '${at}')`,
  );
  for (let a = 0; a < ACCOUNTS; a++) {
    const merchant = await newMerchant(db);
    const { accountId } = merchant;
    const id = (kind: string, n: number) => `${kind}${String(a)}${String(n)}`.padEnd(24, '0');
    const webhookId = id('w', 0);
    const messageId = `${Math.floor(now.getTime() / 1000 / 65536).toString(16)}${String(a).padStart(20, '0')}`;
    await run(
      `INSERT INTO webhooks (id, account_id, url, events, secret_box) VALUES ('${webhookId}', '${accountId}', 'https://example.com/', '{tracking_update}', 'sealed')`,
    );
    await run(`INSERT INTO endpoint_turns (webhook_id, holder, expires_at) VALUES ('${webhookId}', '', '2026-01-01')`);
    const trackingIds = Array.from({ length: 4 }, (_, n) => id('t', n));
    for (const [n, trackingId] of trackingIds.entries()) {
      const number = `SEED-${a}-${n}`;
      const isSlotted = n === 3;
      await run(
        `INSERT INTO trackings (id, account_id, tracking_number, carrier, detected, provider, status, sub_status, updated_at)
         VALUES ('${trackingId}', '${accountId}', '${number}', 'yto', true, '${PROVIDER}', '查询中', 'pending', '${at}')`,
      );
      await run(
        `INSERT INTO checks (tracking_id, account_id, provider, carrier, tracking_number, next_check_at, expires_at, fingerprint, ring, slot)
         VALUES ('${trackingId}', '${accountId}', '${isSlotted ? 'slotted' : PROVIDER}', 'yto', '${number}', ${isSlotted ? `'9999-12-31 00:00:00+00'` : `'${at}'`}, '2035-01-01',
           'seen', ${isSlotted ? '0, 1' : 'NULL, NULL'})`,
      );
    }
    await run(
      `INSERT INTO messages (id, account_id, tracking_id, event, seq, body) VALUES ('${messageId}', '${accountId}', '${trackingIds[0]}', 'tracking_update', 1, '{}')`,
    );
    await run(
      `INSERT INTO deliveries (message_id, webhook_id, account_id, next_attempt_at) VALUES ('${messageId}', '${webhookId}', '${accountId}', '${at}')`,
    );
    accounts.push({ ...merchant, webhookId, trackingIds, messageId });
  }
  const { accountId, webhookId } = accounts[0] as Account;
  await run(
    `INSERT INTO replays (id, webhook_id, account_id, since, until, xact, position, end_xact) VALUES ('r', '${webhookId}', '${accountId}', '${at}', '${at}', 0, 0, 1)`,
  );
  return { accounts, now: new Date(now.getTime() + 1000) };
}
