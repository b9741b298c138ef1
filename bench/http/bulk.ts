import { type Db, openDatabase } from '@pts/db/connection/client';
import { freshId } from '@pts/db/connection/ids';
import { storeRegistrations } from '@pts/db/trackings/register';
import { createAccount } from '@pts/service/accounts/create';
import { testDatabase } from '@pts/testing/database';
import { type Figure, figure } from '../parts/figure.ts';

const ROUNDS = 15;
/** Registrations per statement. */
const COUNT = 1000;

/** Registrations per second in statements of a thousand, against a bare insert of as many rows into the same three tables. */
export async function benchBulk(): Promise<Figure[]> {
  const database = await testDatabase();
  const db = openDatabase({ url: database.url, poolSize: 2 });
  const { account } = await createAccount({ db, now: () => new Date() }, { name: 'bench', plan: 'enterprise' });
  const figures: Figure[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const ours = await perSecond(() => register(db, account.id, `A${round}`));
    const bare = await perSecond(() => insert(db, account.id, `B${round}`));
    // The first round plans the statements and warms up the tables.
    if (round > 0) figures.push(figure('bulk', ours, bare, 'registrations/s'));
  }
  await db.$disconnect();
  await database.close();
  return figures.sort((a, b) => a.ratio - b.ratio).slice(figures.length / 2, figures.length / 2 + 1);
}

const numbersOf = (round: string) => Array.from({ length: COUNT }, (_, n) => `BULK${round}N${n}`);

async function perSecond(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return COUNT / ((performance.now() - startedAt) / 1000);
}

async function register(db: Db, accountId: string, round: string): Promise<void> {
  const registrations = numbersOf(round).map((trackingNumber) => ({
    trackingNumber,
    carrier: 'yto',
    provider: 'bench',
    detected: true,
  }));
  const result = await storeRegistrations(db, { accountId, quotaLimit: 1e9, registrations, now: new Date() });
  if (result.kind !== 'registered') throw new Error(result.kind);
}

async function insert({ $connections }: Db, accountId: string, round: string): Promise<void> {
  const numbers = numbersOf(round);
  const ids = numbers.map(() => freshId(new Date()));
  await $connections.query(
    `WITH created AS (
      INSERT INTO trackings (id, account_id, tracking_number, carrier, provider, detected, status, sub_status, updated_at)
      SELECT id, $1, number, 'yto', 'bench', true, '查询中', 'pending', now() FROM unnest($2::text[], $3::text[]) AS given(id, number)
      RETURNING id, account_id, tracking_number
    ), charged AS (
      INSERT INTO quota_usage (account_id, month, used, quota_limit) SELECT $1, '2020-01-01', count(*), 1000000000 FROM created
      ON CONFLICT (account_id, month) DO UPDATE SET used = quota_usage.used + excluded.used
    )
    INSERT INTO checks (tracking_id, account_id, provider, carrier, tracking_number, next_check_at, expires_at)
    SELECT id, account_id, 'bench', 'yto', tracking_number, now(), now() + interval '30 days' FROM created RETURNING tracking_id`,
    [accountId, ids, numbers],
  );
}
