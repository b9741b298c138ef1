import { randomBytes } from 'node:crypto';
import { disableAccount, findKeyHolder, updateAccount } from '@pts/db/accounts/accounts';
import { claimChecks } from '@pts/db/checks/schedule';
import type { Db } from '@pts/db/connection';
import { loadDue, recordAttempts } from '@pts/db/deliveries/attempts';
import { listAttempts } from '@pts/db/deliveries/log';
import { startReplay } from '@pts/db/deliveries/send-again';
import { listEvents } from '@pts/db/feed';
import { keyRefusal } from '@pts/db/readiness';
import { createKeyring } from '@pts/runtime/encryption/keyring';
import { createAccount } from '@pts/service/accounts';
import { type OpenTestDatabase, openTestDatabase, queryOnce } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { allDue, attemptOf, freshNumber, newDeliveries, newTrackings, newWebhook } from '@pts/testing/factories';
import { admin } from '../testing/run.ts';

const NOW = new Date('2026-11-20T08:00:00Z');
const LATER = new Date('2026-11-20T09:00:00Z');
const KEY = randomBytes(32).toString('base64');
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
const BEGINNING = { xact: -1n, position: -1n };

let from: OpenTestDatabase;
let to: OpenTestDatabase;

beforeEach(async () => {
  [from, to] = [await openTestDatabase(2), await openTestDatabase(2)];
  for (const { db } of [from, to]) expect(await keyRefusal(db, createKeyring([KEY]))).toBeNull();
});
afterEach(() => Promise.all([from.close(), to.close()]));

const copy = (id: string, env: Record<string, string> = {}) =>
  admin(['accounts', 'copy', id, '--json'], {
    ...{ DATABASE_URL: from.url, TARGET_DATABASE_URL: to.url, ENCRYPTION_KEY: KEY },
    ...env,
  });

/** An account with a regular check, two events whose first push was made, a pending one, and test keys. */
async function busyAccount(db: Db) {
  const { account, key } = await createAccount({ db, now: () => NOW }, { name: 'Shop', plan: 'pro' });
  const { account: companion } = await createAccount({ db, now: () => NOW }, { name: 'Shop', plan: 'free' });
  await db.account.update({ where: { id: companion.id }, data: { testOf: account.id } });
  const webhook = (await newWebhook(db, account.id, NOW, { encryptedSecret: createKeyring([KEY]).encrypt('whsec_1') }))
    .id;
  for (let n = 0; n < 2; n++) await newDeliveries(db, account.id, NOW);
  for (const due of await loadDue(db, [allDue({ id: webhook, accountId: account.id })], NOW))
    await recordAttempts(db, [attemptOf(due, { startedAt: NOW })]);
  await newDeliveries(db, account.id, NOW);
  await newTrackings(
    db,
    account.id,
    Array.from({ length: 1200 }, () => freshNumber()),
    NOW,
  );
  await claimChecks(db, { provider: 'scripted', limit: 2, cadence: CADENCE, now: LATER });
  return { id: account.id, testId: companion.id, apiKey: key.apiKey, webhook };
}

/**
 * A `count` of them: they are shown once every older transaction of the server has ended, also those of other tests.
 */
const events = (db: Db, accountId: string, count: number) =>
  eventually(async () => {
    const { events } = await listEvents(db, { accountId, after: BEGINNING, limit: 100 });
    expect(events).toHaveLength(count);
    return events.map(({ id, body }) => ({ id, body }));
  });
const log = async (db: Db, accountId: string) =>
  (await listAttempts(db, { accountId, limit: 100 })).rows
    .map(({ id: _, ...attempt }) => attempt)
    .sort((a, b) => a.messageId.localeCompare(b.messageId));

test('an account that was copied works in the other installation as it did in the first', async () => {
  // The other installation has an account of its own, whose deliveries have the same ids.
  const other = await busyAccount(to.db);
  const { id, testId, apiKey, webhook } = await busyAccount(from.db);
  await disableAccount(from.db, id, NOW);
  const { code, stdout, stderr } = await copy(id);
  expect([code, stderr]).toEqual([0, '']);
  const { copied } = JSON.parse(stdout);
  expect(copied).toMatchObject({ trackings: { read: 1203, stored: 1203 }, delivery_attempts: { read: 2, stored: 2 } });
  expect(await findKeyHolder(to.db, apiKey)).toBeNull();

  await updateAccount(to.db, id, { disabledAt: null });
  expect(await findKeyHolder(to.db, apiKey)).toMatchObject({ account: { id, plan: 'pro' } });
  expect(await to.db.account.findUnique({ where: { id: testId } })).toMatchObject({ testOf: id, disabledAt: null });
  expect(await to.db.quotaUsage.findMany({ where: { accountId: id } })).toMatchObject([{ used: 1203 }]);
  for (const table of ['trackings', 'webhooks', 'tracking_search'] as const)
    expect([table, await contents(to, table, id)]).toEqual([table, await contents(from, table, id)]);
  expect(await events(to.db, id, 3)).toEqual(await events(from.db, id, 3));
  expect(await log(to.db, id)).toEqual(await log(from.db, id));
  const [pending, ...more] = await loadDue(to.db, [allDue({ id: webhook, accountId: id })], LATER);
  expect([pending?.accountId, pending?.attempt, more]).toEqual([id, 1, []]);
  expect(await events(to.db, other.id, 3)).toHaveLength(3);
  const registered = await to.db.statCount.aggregate({
    where: { accountId: id, series: 'registered' },
    _sum: { amount: true },
  });
  expect(registered._sum.amount).toBe(1203);
});

async function contents({ url }: OpenTestDatabase, table: string, accountId: string) {
  const { rows } = await queryOnce<{ row: string }>(
    url,
    `SELECT (to_jsonb(t) - 'disabled_at')::text AS row FROM ${table} t WHERE account_id = '${accountId}' ORDER BY 1`,
  );
  return rows.map(({ row }) => row);
}

test('a copy can be repeated, and stores what has been added since', async () => {
  const { id } = await busyAccount(from.db);
  await disableAccount(from.db, id, NOW);
  await copy(id);
  await newDeliveries(from.db, id, NOW);
  const { code, stdout } = await copy(id);
  expect([code, JSON.parse(stdout).copied]).toMatchObject([
    0,
    {
      trackings: { read: 1204, stored: 1 },
      messages: { read: 4, stored: 1 },
      deliveries: { read: 4, stored: 1 },
      delivery_attempts: { stored: 0 },
    },
  ]);
});

type Account = Awaited<ReturnType<typeof busyAccount>>;
test.each<[string, (account: Account) => Promise<Record<string, string>>, RegExp]>([
  ['an active account', async () => ({}), /is active\. Disable it first/],
  [
    'work that has not ended',
    async ({ id, webhook }) => {
      await startReplay(from.db, {
        webhookId: webhook,
        accountId: id,
        events: [],
        filter: null,
        since: NOW,
        until: NOW,
        now: NOW,
      });
      await disableAccount(from.db, id, NOW);
      return {};
    },
    /Imports, bulk actions or replays of the account are still running \(1\)/,
  ],
  [
    'an account that is active there',
    async ({ id }) => {
      await disableAccount(from.db, id, NOW);
      await to.db.account.create({ data: { id, name: 'Shop', plan: 'pro' } });
      return {};
    },
    /is already active in TARGET_DATABASE_URL/,
  ],
  [
    'another encryption key there',
    async ({ id }) => {
      await disableAccount(from.db, id, NOW);
      await to.db.installation.deleteMany();
      await keyRefusal(to.db, createKeyring([randomBytes(32).toString('base64')]));
      return {};
    },
    /must be the key of both installations/,
  ],
  [
    'other links to buyers there',
    async ({ id }) => {
      await disableAccount(from.db, id, NOW);
      const former = randomBytes(32).toString('base64');
      await to.db.installation.updateMany({
        data: { keyCheck: createKeyring([former]).encrypt('parcel-tracking-service') },
      });
      return { ENCRYPTION_KEY: `${KEY},${former}` };
    },
    /different links to buyers' pages/,
  ],
  [
    'the database that the account is in',
    async ({ id }) => {
      await disableAccount(from.db, id, NOW);
      return { TARGET_DATABASE_URL: from.url.replace('postgres://', 'postgresql://') };
    },
    /is the database that the account is already in/,
  ],
  [
    'a database that is not there',
    async ({ id }) => {
      await disableAccount(from.db, id, NOW);
      return { TARGET_DATABASE_URL: Object.assign(new URL(to.url), { pathname: '/no_such_database' }).href };
    },
    /^The database at [^ ]*\/no_such_database cannot be used/,
  ],
  [
    'an address that is none',
    async ({ id }) => {
      await disableAccount(from.db, id, NOW);
      return { TARGET_DATABASE_URL: 'cell-two' };
    },
    /^TARGET_DATABASE_URL must have the form/,
  ],
])('%s is refused, and nothing is copied', async (_what, prepare, says) => {
  const account = await busyAccount(from.db);
  const env = await prepare(account);
  const { code, stderr } = await copy(account.id, env);
  expect([code, JSON.parse(stderr).error.message]).toEqual([1, expect.stringMatching(says)]);
  expect(await contents(to, 'trackings', account.id)).toEqual([]);
});
