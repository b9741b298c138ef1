import { openTestDatabase } from '@pts/testing/database';
import { freshNumber, newAccount, newTrackings } from '@pts/testing/factories';
import { countFailure, healthStatement, pauseProvider, readProviderHealth } from './providers.ts';
import { START, watchedParcels } from './testing/rings.ts';

const { db, close } = await openTestDatabase(2);
afterAll(close);

const at = (seconds: number) => new Date(START.getTime() + seconds * 1000);

test('a provider has its pause, its oldest check, single or in a slot, and when one was last begun', async () => {
  const nothing = { pausedUntil: null, oldestDueAt: null, checkedAt: null };
  expect(await readProviderHealth(db, ['nobody'], at(0))).toEqual([{ provider: 'nobody', ...nothing }]);
  const parcels = await watchedParcels(db, 'both', 3);
  await newTrackings(db, await newAccount(db, START), [freshNumber()], at(200), { provider: 'both' });
  const health = async (seconds: number) => (await readProviderHealth(db, ['both'], at(seconds)))[0];
  expect(await health(0)).toMatchObject({ oldestDueAt: at(0), pausedUntil: null });
  await parcels.claim();
  expect(await health(200)).toMatchObject({ oldestDueAt: at(200) });
  const call = { failure: 'transient' as const, reason: '503', trackingIds: [], requestedAt: at(0), now: at(0) };
  await countFailure(db, { provider: 'both', ...call });
  await pauseProvider(db, 'both', at(900), at(0));
  expect(await health(200)).toMatchObject({ pausedUntil: at(900) });
});

type Plan = { 'Node Type': string; 'Relation Name'?: string; Plans?: Plan[] };

test('it reads a bounded number of pages, however many checks are due', async () => {
  const account = await newAccount(db, START);
  await db.$executeRaw`
    WITH parcels AS (
      INSERT INTO trackings (id, account_id, tracking_number, carrier, detected, provider, status, sub_status, created_at, updated_at)
      SELECT substr(md5('h' || i), 1, 24), ${account}, 'HEALTH' || i, 'yto', true, 'crowded', '查询中', 'pending',
        ${START}::timestamptz, ${START}::timestamptz FROM generate_series(1, 20000) i
      RETURNING id, account_id, provider, carrier, tracking_number
    )
    INSERT INTO checks (tracking_id, account_id, provider, carrier, tracking_number, next_check_at, expires_at)
    SELECT id, account_id, provider, carrier, tracking_number, ${START}::timestamptz, ${at(1e6)}::timestamptz FROM parcels`;
  const names = ['crowded', 'both', 'nobody'];
  const [explained] = await db.$transaction(async (tx) => {
    await tx.$executeRaw`SET LOCAL enable_seqscan = off`;
    return tx.$queryRaw<{ 'QUERY PLAN': { Plan: Plan & Record<string, number> }[] }[]>`
      EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${healthStatement(names, at(900))}`;
  });
  const plan = explained?.['QUERY PLAN'][0]?.Plan;
  expect((plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)).toBeLessThan(100);
});
