import assert from 'node:assert/strict';
import type { Db } from '@pts/db/connection/client';
import { loadDue } from '@pts/db/deliveries/attempts';
import type { Account, Fixture, Work } from './statements.ts';

/** Statements as the service could send them if it distributed its tables by account: what they would gain is tried, too. */
export const REWRITTEN: readonly Work[] = [
  {
    name: 'claim the due checks of one account',
    run: (db, fixture) =>
      some(
        db,
        fixture,
        ({ accountId }) =>
          `SELECT tracking_id FROM checks WHERE account_id = '${accountId}' LIMIT 3 FOR UPDATE SKIP LOCKED`,
      ),
  },
  {
    name: 'lock parcels of one account',
    run: (db, fixture) =>
      some(
        db,
        fixture,
        ({ accountId, trackingIds }) =>
          `SELECT id FROM trackings WHERE account_id = '${accountId}' AND id IN ('${trackingIds.join("','")}') ORDER BY id FOR UPDATE`,
      ),
  },
  {
    name: 'find endpoints with pending deliveries, from all of them',
    run: (db, fixture) =>
      some(
        db,
        fixture,
        () => `SELECT webhook_id, min(created_at) FROM deliveries WHERE state = 'owed' GROUP BY webhook_id`,
      ),
  },
  {
    name: 'load, apart from taking the lease',
    run: (db, fixture) =>
      db.$hotTransaction((tx) =>
        loadDue(
          tx,
          fixture.accounts.map(({ webhookId, accountId }) => ({
            webhookId,
            accountId,
            after: null,
            inFlight: [],
            page: { fresh: 96, late: 32 },
          })),
          fixture.now,
        ),
      ),
  },
  {
    name: 'read the feed up to the oldest transaction of the coordinator',
    run: async (db, fixture) => {
      const [server] = await db.$queryRaw<
        { xmin: bigint }[]
      >`SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS xmin`;
      await some(
        db,
        fixture,
        ({ accountId }) =>
          `SELECT id FROM messages WHERE account_id = '${accountId}' AND xact < ${server?.xmin} ORDER BY xact, position LIMIT 10`,
      );
    },
  },
  { name: 'the same while events of two workers are committed', run: readWhileCommitting },
  {
    name: 'a trigger with a transition table',
    run: async (db, fixture) => {
      const withTriggers = (sql: string) =>
        db.$transaction(async (tx) => {
          await tx.$executeRawUnsafe('SET LOCAL citus.enable_unsafe_triggers = on');
          await tx.$executeRawUnsafe(sql);
        });
      await withTriggers(`CREATE TRIGGER stat_of_trial AFTER INSERT ON trackings REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION stat_of_new_trackings()`);
      try {
        await db.$executeRawUnsafe(`
          INSERT INTO trackings (id, account_id, tracking_number, carrier, detected, provider, status, sub_status, updated_at)
          VALUES ('x', '${fixture.accounts[1]?.accountId}', 'x', 'yto', true, 'x', '查询中', 'pending', now())`);
      } finally {
        await withTriggers('DROP TRIGGER stat_of_trial ON trackings');
      }
    },
  },
];

async function some(db: Db, { accounts }: Fixture, sqlOf: (account: Account) => string): Promise<void> {
  const found = await db.$queryRawUnsafe<unknown[]>(sqlOf(accounts[1] as Account));
  assert.ok(found.length);
}

const COMMITS = 400;

/**
 * One process stores an event for each account in a transaction, another one follows the feed of the last account by its place.
 * A worker may commit after the coordinator: then a place is passed before its event is visible.
 */
async function readWhileCommitting(db: Db, { accounts }: Fixture): Promise<void> {
  const followed = accounts.slice(0, -1).map(({ accountId }) => ({ accountId, place: 0n, seen: new Set<string>() }));
  let isOver = false;
  const read = async () => {
    const [server] = await db.$queryRaw<
      { xmin: bigint }[]
    >`SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS xmin`;
    const xmin = server?.xmin ?? 0n;
    for (const reader of followed) {
      const page = await db.$queryRawUnsafe<{ id: string; xact: bigint }[]>(
        `SELECT id, xact FROM messages WHERE account_id = '${reader.accountId}' AND event = 'ping' AND xact > ${reader.place} AND xact < ${xmin} ORDER BY xact`,
      );
      for (const { id } of page) reader.seen.add(id);
      reader.place = page.at(-1)?.xact ?? reader.place;
    }
  };
  const reading = (async () => {
    while (!isOver) await read();
  })();
  const lane = async (name: string) => {
    for (let n = 0; n < COMMITS / 4; n++)
      await db.$transaction(async (tx) => {
        for (const [a, { accountId }] of followed.entries())
          await tx.$executeRawUnsafe(
            `INSERT INTO messages (id, account_id, event, body) VALUES ('6d00${name}${a}x${n}', '${accountId}', 'ping', '')`,
          );
      });
  };
  await Promise.all(['a', 'b', 'c', 'd'].map(lane));
  isOver = true;
  await reading;
  await read();
  const missed = followed.reduce((sum, { seen }) => sum + COMMITS - seen.size, 0);
  assert.equal(
    missed,
    0,
    `${missed} of ${COMMITS * followed.length} events were never seen by readers that follow the feed`,
  );
}
