import { cancelBulkAction, endBulkAction, insertBulkAction } from '@pts/db/bulk-actions';
import { sendNotices } from '@pts/db/deliveries/pending';
import { endImport, insertImport, queueImport } from '@pts/db/imports';
import { findFailing } from '@pts/db/notices';
import { clearPause, countFailure, pauseProvider } from '@pts/db/providers';
import { claimRun } from '@pts/db/run-leases';
import { storeRegistrations } from '@pts/db/trackings/register';
import { disableEndpoint } from '@pts/db/webhooks';
import { freshNumber, keyOf, newWebhook } from '@pts/testing/factories';
import { sweepNotices } from './sweeps.ts';
import { found, killedBeforeCommit, openPollerTest, type PollerTest, scriptedProvider } from './testing/test-poller.ts';

const NOTICES = { events: ['account_notice' as const] };
const DAY_MS = 86_400_000;

describe('a notice', () => {
  let poller: PollerTest;
  let sweep: () => Promise<unknown>;
  beforeAll(async () => {
    poller = await openPollerTest();
    sweep = () => sweepNotices(poller.depsFor(scriptedProvider(() => found())));
  });
  afterAll(() => poller.close());

  const now = () => poller.clock.now();
  const hook = (accountId: string, more = {}) => newWebhook(poller.db, accountId, now(), { ...NOTICES, ...more });
  /** The kinds of an account's notices, oldest first; that of a failing webhook with its threshold in percent. */
  const noticesOf = async (accountId: string) => {
    const rows = await poller.db.accountNotice.findMany({ where: { accountId }, orderBy: { id: 'asc' } });
    return rows.map(({ kind, occurrence }) => (kind === 'webhook_failing' ? `${kind} ${occurrence}` : kind));
  };
  /** The notices that were sent to an endpoint, oldest first. */
  const sentTo = async ({ id }: { id: string }) => {
    const rows = await poller.db.delivery.findMany({
      where: { webhookId: id },
      orderBy: { id: 'asc' },
      include: { message: true },
    });
    return rows.map(({ message: { body } }) => JSON.parse(body).data.notice);
  };
  /** Attempts to push to an endpoint: a letter for each, `x` for a failed one. */
  const attempts = async ({ id, accountId }: { id: string; accountId: string }, results: string) => {
    for (const result of results)
      await poller.db.deliveryAttempt.create({
        data: {
          ...{ webhookId: id, accountId, messageId: '0'.repeat(24), event: 'tracking_update', attempt: 1 },
          ...{ startedAt: now(), statusCode: result === 'x' ? 500 : 200, error: result === 'x' ? 'HTTP 500' : null },
          ...{ durationMs: 5, deliveryId: 1n },
        },
      });
    if (results.includes('x'))
      await change(id, { failingSince: results.endsWith('x') ? now() : null, lastFailedAt: now() });
  };
  const change = (id: string, data: object) => poller.db.webhook.update({ where: { id }, data });

  async function register(accountId: string, count: number, quotaLimit: number) {
    const registrations = Array.from({ length: count }, () => ({
      ...{ trackingNumber: freshNumber(), carrier: 'yto', provider: 'scripted', detected: true },
    }));
    return storeRegistrations(poller.db, { accountId, quotaLimit, registrations, now: now() });
  }

  describe('about the quota', () => {
    test.each([
      [[79], []],
      [[80], [80]],
      [[79, 1, 1], [80]],
      [
        [94, 1, 4, 1],
        [80, 95, 100],
      ],
      [[100], [80, 95, 100]],
    ])('registering %j of 100 causes those of %j %', async (batches, percents) => {
      const account = await poller.account();
      const endpoint = await hook(account);
      for (const count of batches) await register(account, count, 100);
      await sweep();
      await sweep();
      const sent = await sentTo(endpoint);
      expect(sent.map(({ details }) => details.percent)).toEqual(percents);
      if (percents.length > 0) expect(sent[0]).toMatchObject({ kind: 'quota_used', details: { limit: 100 } });
    });

    test('is not caused by calls that are refused, and stored by the statement that charges', async () => {
      const account = await poller.account();
      await register(account, 10, 10);
      expect(await noticesOf(account)).toEqual(['quota_used', 'quota_used', 'quota_used']);
      expect(await register(account, 1, 10)).toEqual({ kind: 'quota_exhausted' });
      expect(await noticesOf(account)).toHaveLength(3);
    });
  });

  describe('about a webhook', () => {
    test.each([
      ['xxxx', []],
      ['xxxxx', ['webhook_failing 90']],
      ['..........xxxxxxxxx', []],
      ['..........xxxxxxxxxx', ['webhook_failing 50']],
      ['..x.x.xx.xx.xxx.xx.x', ['webhook_failing 50']],
      [`....................${'x'.repeat(18)}`, ['webhook_failing 90']],
      ['xxxxxxxxxx....................x', []],
    ])('after the attempts %s', async (results, kinds) => {
      const account = await poller.account();
      const endpoint = await hook(account);
      await attempts(endpoint, results);
      await sweep();
      await sweep();
      expect(await noticesOf(account)).toEqual(kinds);
    });

    test('that fails more and more is another one', async () => {
      const account = await poller.account();
      const endpoint = await hook(account);
      await attempts(endpoint, '..........xxxxxxxxxx');
      await sweep();
      await attempts(endpoint, 'x'.repeat(10));
      await sweep();
      expect(await noticesOf(account)).toEqual(['webhook_failing 50', 'webhook_failing 90']);
    });

    test('goes to the healthy ones, once; and when it works again, to it as well', async () => {
      const account = await poller.account();
      const [broken, healthy, silent] = [
        await hook(account),
        await hook(account),
        await hook(account, { events: ['tracking_update'] }),
      ];
      await attempts(broken, 'xxxxxx');
      await sweep();
      await sweep();
      expect((await sentTo(healthy)).map(({ kind, details }) => [kind, details.percent])).toEqual([
        ['webhook_failing', 90],
      ]);
      expect([await sentTo(broken), await sentTo(silent)]).toEqual([[], []]);
      await attempts(broken, '.');
      await change(broken.id, { failingSince: null });
      await sweep();
      expect(await sentTo(broken)).toEqual([]);
      poller.clock.pass(5 * 60);
      await sweep();
      await sweep();
      expect(await sentTo(broken)).toMatchObject([
        { kind: 'webhook_recovered', subject: broken.id, details: { url: broken.url } },
      ]);
      // It begins again only now that it has ended.
      await attempts(broken, 'x'.repeat(20));
      await sweep();
      expect((await noticesOf(account)).slice(-1)).toEqual(['webhook_failing 90']);
    });

    test('that is enabled again ends with its next accepted push', async () => {
      const account = await poller.account();
      const endpoint = await hook(account);
      await attempts(endpoint, 'xxxxx');
      await sweep();
      expect(await disableEndpoint(poller.db, keyOf(endpoint), 'gone', now())).toBe(true);
      expect(await disableEndpoint(poller.db, keyOf(endpoint), 'gone', now())).toBe(false);
      await sweep();
      await change(endpoint.id, { enabled: true, disabledAt: null, failingSince: null, lastFailedAt: null });
      await sweep();
      const before = ['webhook_failing 90', 'webhook_disabled'];
      expect(await noticesOf(account)).toEqual(before);
      await attempts(endpoint, '.');
      await sweep();
      expect(await noticesOf(account)).toEqual([...before, 'webhook_recovered']);
    });

    test('waits with those of others for the only endpoint, which fails', async () => {
      const account = await poller.account();
      const endpoint = await hook(account);
      await change(endpoint.id, { failingSince: now(), lastFailedAt: now() });
      await register(account, 80, 100);
      await sweep();
      expect(await sentTo(endpoint)).toHaveLength(1);
    });
  });

  test('is stored for accounts whose webhooks do not name it, without a message', async () => {
    const account = await poller.account(['tracking_update']);
    await register(account, 80, 100);
    await sweep();
    expect(await noticesOf(account)).toEqual(['quota_used']);
    expect(await poller.db.message.count({ where: { accountId: account } })).toBe(0);
  });

  test.each([
    ['in six days, made long ago', 6, 100, {}, ['key_expiring']],
    ['in eight days', 8, 100, {}, []],
    ['yesterday', -1, 100, {}, []],
    ['in six days, but is revoked', 6, 100, { revokedAt: new Date() }, []],
    ['in half a day, and was made for that', 0.5, 0, {}, []],
  ])('about a key that expires %s', async (_when, days, age, more, kinds) => {
    const account = await poller.account();
    const key = {
      id: freshNumber().slice(0, 15),
      accountId: account,
      keyHash: Buffer.from(freshNumber()),
      hint: 'tk_1…2',
    };
    const expiresAt = new Date(now().getTime() + days * DAY_MS);
    await poller.db.apiKey.create({
      data: { ...key, ...more, expiresAt, createdAt: new Date(now().getTime() - age * DAY_MS) },
    });
    await sweep();
    await sweep();
    expect(await noticesOf(account)).toEqual(kinds);
  });

  test.each(['done', 'failed'] as const)('about an import that is %s is stored when that ends', async (state) => {
    const account = await poller.account();
    const endpoint = await hook(account);
    for (const dryRun of [true, false]) {
      const fields = { dryRun, fileName: 'a.csv', format: 'csv' as const, wanted: {}, now: now() };
      const id = (await insertImport(poller.db, { accountId: account, ...fields })) ?? '';
      await queueImport(poller.db, { accountId: account, id }, { fileBytes: 1, encoding: null, columns: null });
      const claimed = await claimRun(poller.db, 'imports', { accountId: account, id }, now());
      if (claimed) await endImport(poller.db, claimed.run, { state, now: now() });
    }
    await sweep();
    expect(await sentTo(endpoint)).toMatchObject([{ kind: 'import_ended', details: { state, file_name: 'a.csv' } }]);
  });

  test('about a bulk action that is done or cancelled', async () => {
    const account = await poller.account();
    const start = async () => {
      const counts = { matched: 3, isLowerBound: false, ceiling: null, dryRun: false };
      const given = { accountId: account, action: 'stop' as const, filter: {}, asOf: now(), now: now() };
      const { id = '' } = (await insertBulkAction(poller.db, { ...given, ...counts })) ?? {};
      return { accountId: account, id };
    };
    const claimed = await claimRun(poller.db, 'bulk_actions', await start(), now());
    if (claimed)
      await endBulkAction(poller.db, claimed.run, {
        counts: { done: 3, skipped: 0, failed: 0, reasons: [] },
        now: now(),
      });
    await cancelBulkAction(poller.db, await start(), now());
    const details = (
      await poller.db.accountNotice.findMany({ where: { accountId: account }, orderBy: { id: 'asc' } })
    ).map((notice) => notice.details);
    expect(details).toMatchObject([{ state: 'done', done: 3, action: 'stop' }, { state: 'cancelled' }]);
  });

  test('about a provider that is out, and back, goes to the accounts with parcels that it is asked about', async () => {
    const [asked, other] = [await poller.account(), await poller.account()];
    const provider = freshNumber();
    for (let n = 0; n < 3; n++) await poller.watch(asked, freshNumber(), { provider });
    await poller.watch(other, freshNumber());
    const fail = { provider, failure: 'transient' as const, reason: 'down', trackingIds: [], requestedAt: now() };
    await countFailure(poller.db, { ...fail, now: now() });
    await sweep();
    await pauseProvider(poller.db, provider, new Date(now().getTime() + 200_000), now());
    await sweep();
    expect(await noticesOf(asked)).toEqual([]);
    await pauseProvider(poller.db, provider, new Date(now().getTime() + 300_000), now());
    await sweep();
    await sweep();
    expect(await noticesOf(asked)).toEqual(['provider_out']);
    poller.clock.pass(301);
    await clearPause(poller.db, provider, now());
    await sweep();
    await sweep();
    expect(await noticesOf(asked)).toEqual(['provider_out', 'provider_back']);
    expect(await noticesOf(other)).toEqual([]);
  });

  test('is sent in the language of the account, and by a test account as a test', async () => {
    const live = await poller.account();
    const account = await poller.account();
    await poller.db.account.update({ where: { id: account }, data: { language: 'de', testOf: live } });
    const endpoint = await hook(account);
    await register(account, 80, 100);
    await sweep();
    const [message] = await poller.db.message.findMany({ where: { accountId: account } });
    expect(JSON.parse(message?.body ?? '')).toMatchObject({
      event: 'account_notice',
      test: true,
      data: { notice: { text: '80 % des Kontingents dieses Monats sind verbraucht: 80 von 100 Einheiten.' } },
    });
    expect(await sentTo(endpoint)).toHaveLength(1);
  });

  describe('over a kill', () => {
    test('before its pushes are committed, none is stored, and the next sweep sends it once', async () => {
      const account = await poller.account();
      const endpoint = await hook(account);
      await register(account, 80, 100);
      await expect(sendNotices(killedBeforeCommit(poller.db), { limit: 100, now: now() })).rejects.toThrow('killed');
      expect(await sentTo(endpoint)).toEqual([]);
      await Promise.all([sweep(), sweep()]);
      expect(await sentTo(endpoint)).toHaveLength(1);
    });

    test('two processes at once find it once', async () => {
      const account = await poller.account();
      await attempts(await hook(account), 'xxxxx');
      await Promise.all([1, 2, 3].map(() => findFailing(poller.db, now())));
      expect(await noticesOf(account)).toEqual(['webhook_failing 90']);
    });
  });
});
