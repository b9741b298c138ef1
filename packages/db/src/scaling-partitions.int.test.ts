import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OpenTestDatabase, openTestDatabase } from '@pts/testing/database';
import { allDue, attemptOf, newAccount, newDeliveries, newWebhook } from '@pts/testing/factories';
import pg from 'pg';
import { claimChecks } from './checks/claim.ts';
import { loadDue, recordAttempts } from './deliveries/attempts.ts';
import { listAttempts } from './deliveries/log.ts';
import { prune } from './deliveries/retention.ts';

const GUIDE = join(import.meta.dirname, '../../../docs/scaling.md');
const MIGRATIONS = join(import.meta.dirname, '../../../prisma/migrations');
const BEFORE = new Date('2026-11-20T00:00:00Z');
const AFTER = new Date('2026-12-20T00:00:00Z');
const NEXT_DAY = new Date('2026-12-21T00:00:00Z');
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };

let database: OpenTestDatabase;
beforeEach(async () => {
  database = await openTestDatabase(4);
});
afterEach(() => database.close());

/** The guide's statements for a plain PostgreSQL, in their order. */
function statements(): string[] {
  const blocks = Array.from(readFileSync(GUIDE, 'utf8').matchAll(/^```sql\n([\s\S]*?)^```/gm), ([, sql = '']) => sql);
  return blocks.flatMap((sql) => sql.split(/;\n/)).filter((sql) => sql.replace(/--.*/g, '').trim() !== '');
}

function readMigration(name: string): string {
  return readFileSync(join(MIGRATIONS, name, 'migration.sql'), 'utf8');
}

async function partition(): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    for (const statement of statements()) await client.query(statement);
    const slots = readMigration('20261125100000_check_slots');
    await client.query(slots.slice(slots.indexOf('CREATE FUNCTION "check_sits_out"')));
    await client.query(readMigration('20261126090000_turns_sat_out'));
  } finally {
    await client.end();
  }
}

/** An event at a moment, delivered to its endpoint with one attempt. */
async function deliver({ account, webhook }: { account: string; webhook: string }, at: Date): Promise<void> {
  await newDeliveries(database.db, account, at);
  const delivery = (await loadDue(database.db, [allDue(webhook)], AFTER)).at(-1);
  if (!delivery) throw new Error('nothing is due');
  const outcome = attemptOf(delivery, { startedAt: at });
  await recordAttempts(database.db, [outcome]);
  // Recorded twice, it counts once.
  await recordAttempts(database.db, [outcome]);
}

async function countIn(table: string): Promise<number> {
  const [row] = await database.db.$queryRawUnsafe<{ count: number }[]>(`SELECT count(*)::int AS count FROM ${table}`);
  return row?.count ?? 0;
}

test('after the statements of the scaling guide, the service stores, delivers, lists, checks and prunes as before', async () => {
  const { db } = database;
  const account = await newAccount(db, BEFORE);
  const webhook = (await newWebhook(db, account, BEFORE)).id;
  await deliver({ account, webhook }, BEFORE);
  await partition();
  await deliver({ account, webhook }, AFTER);
  expect(await listAttempts(db, { accountId: account, limit: 10 })).toHaveLength(2);
  const counted = await db.statDelta.groupBy({ by: ['figure'], _sum: { amount: true }, orderBy: { figure: 'asc' } });
  expect(counted.map(({ figure, _sum }) => [figure, _sum.amount])).toEqual(
    [
      ['accepted', 2],
      ['registered', 2],
      ['tracking_update', 2],
      ['parcels', 0],
    ].sort(),
  );
  const claimed = await claimChecks(db, { provider: 'scripted', limit: 10, cadence: CADENCE, now: NEXT_DAY });
  expect(claimed).toHaveLength(2);
  await prune(db, { before: new Date('2026-12-01T00:00:00Z'), overdue: new Date('2026-12-01T00:00:00Z'), batch: 100 });
  expect([await countIn('messages'), await countIn('delivery_attempts')]).toEqual([1, 1]);
});
