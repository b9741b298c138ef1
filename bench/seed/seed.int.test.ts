import { sandboxClient } from '@pts/carriers/providers/sandbox/index';
import { fingerprintOf } from '@pts/core/tracking/answer';
import { claimChecks } from '@pts/db/checks/schedule';
import { readDueTimes } from '@pts/db/trackings/seed';
import { type OpenTestDatabase, openTestDatabase } from '@pts/testing/database';
import { newAccount, newWebhook } from '@pts/testing/factories';
import { startSandbox } from '../../apps/carrier-poller/src/testing/test-sandbox.ts';
import { chooseAccount } from './options.ts';
import { seedParcels } from './seed.ts';

const NOW = new Date('2031-04-05T06:00:00.000Z');
const INTERVAL = 300;
const TOTAL = 2000;
const CADENCE = { monitoredSeconds: INTERVAL, idleSeconds: 3600, floorSeconds: 0 };
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

let database: OpenTestDatabase;
beforeEach(async () => {
  database = await openTestDatabase(4);
});
afterEach(() => database.close());

async function seed(changing: number, total = TOTAL): Promise<string> {
  const accountId = await newAccount(database.db, NOW);
  await seedParcels(database.db, { accountId, total, changing, intervalSeconds: INTERVAL, now: NOW }, () => {});
  return accountId;
}

/**
 * Claims every check at a moment after the interval, asks the sandbox about them, and returns the share that has
 * changed.
 */
async function shareChanged(seconds: number): Promise<number> {
  const now = later(seconds);
  const sandbox = await startSandbox({ now: () => now });
  const { ask } = sandboxClient({ baseUrl: sandbox.url, batchSize: 40 });
  let [requested, changed] = [0, 0];
  for (;;) {
    const checks = await claimChecks(database.db, { provider: 'sandbox', limit: 40, cadence: CADENCE, now });
    if (checks.length === 0) break;
    const answers = await ask(checks.map(({ trackingNumber: number, carrier }) => ({ number, carrier })));
    for (const [n, check] of checks.entries()) {
      const answer = answers[n];
      if (answer?.kind !== 'found') throw new Error(`the sandbox answers ${JSON.stringify(answer)}`);
      requested += 1;
      if (fingerprintOf(answer, now) !== check.fingerprint) changed += 1;
    }
  }
  await sandbox.close();
  expect(requested).toBe(TOTAL);
  return changed / requested;
}

test('the sandbox reports seeded parcels exactly as stored, so their checks are unchanged', async () => {
  await seed(0);
  expect(await shareChanged(INTERVAL)).toBe(0);
});

test('of changing parcels, the requested number has news in an interval', async () => {
  await seed(0.2);
  const share = await shareChanged(INTERVAL);
  expect(share).toBeGreaterThan(0.18);
  expect(share).toBeLessThan(0.22);
});

test('seeded parcels are in transit, with a history and ids in the order of registration', async () => {
  const accountId = await seed(0);
  const trackings = await database.db.tracking.findMany({ where: { accountId }, orderBy: { id: 'asc' } });
  expect(trackings).toHaveLength(TOTAL);
  expect(new Set(trackings.map(({ trackingNumber }) => trackingNumber)).size).toBe(TOTAL);
  for (const { subStatus, status, events, seq } of trackings) {
    expect({ subStatus, status, seq }).toEqual({ subStatus: 'in_transit', status: '查询中', seq: 4 });
    expect(events).toHaveLength(4);
  }
  const registered = trackings.map(({ createdAt }) => createdAt.getTime());
  expect(registered).toEqual(registered.toSorted((a, b) => a - b));
});

test('their checks are spread over the interval', async () => {
  await seed(0);
  const checks = await readDueTimes(database.db);
  expect(checks).toHaveLength(TOTAL);
  const quarters = [0, 0, 0, 0];
  for (const { dueAt } of checks) {
    const seconds = (dueAt.getTime() - NOW.getTime()) / 1000;
    const quarter = Math.min(3, Math.floor((seconds / INTERVAL) * 4));
    quarters[quarter] = (quarters[quarter] ?? 0) + 1;
    expect(seconds).toBeGreaterThanOrEqual(0);
    expect(seconds).toBeLessThanOrEqual(INTERVAL);
  }
  // 500 each, give or take six standard deviations.
  for (const count of quarters) expect(Math.abs(count - TOTAL / 4)).toBeLessThan(120);
});

test('seeding twice at the same moment stores nothing twice', async () => {
  const accountId = await seed(0, 40);
  const again = { accountId, total: 40, changing: 0, intervalSeconds: INTERVAL, now: NOW };
  await expect(seedParcels(database.db, again, () => {})).rejects.toThrow();
  expect(await database.db.tracking.count()).toBe(40);
});

describe('the seeded account is', () => {
  const options = { account: null, allowOtherAccounts: false, intervalSeconds: null };

  test('a new one where there is none', async () => {
    const { accountId, isNew } = await chooseAccount(database.db, options, NOW);
    expect(isNew).toBe(true);
    expect(await database.db.account.count({ where: { id: accountId } })).toBe(1);
  });

  test('the only one; its webhooks decide the interval', async () => {
    const accountId = await newAccount(database.db, NOW);
    expect(await chooseAccount(database.db, options, NOW)).toEqual({ accountId, isNew: false, intervalSeconds: 3600 });
    await newWebhook(database.db, accountId, NOW);
    expect(await chooseAccount(database.db, options, NOW)).toMatchObject({ intervalSeconds: 300 });
    expect(await chooseAccount(database.db, { ...options, intervalSeconds: 7 }, NOW)).toMatchObject({
      intervalSeconds: 7,
    });
  });

  test('next to other parcels only if that is allowed', async () => {
    const account = await newAccount(database.db, NOW);
    await newAccount(database.db, NOW);
    const choose = (more: object) => chooseAccount(database.db, { ...options, ...more }, NOW);
    await expect(choose({})).rejects.toThrow('--account');
    await expect(choose({ account })).rejects.toThrow('--allow-other-accounts');
    await expect(choose({ account: 'f'.repeat(24), allowOtherAccounts: true })).rejects.toThrow('no such account');
    expect(await choose({ account, allowOtherAccounts: true })).toMatchObject({ accountId: account });
  });
});
