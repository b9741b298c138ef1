import { toUtcSeconds } from '@pts/core/time';
import { moveToMonitored } from '@pts/db/checks/schedule';
import { cancelPending, endDropping } from '@pts/db/deliveries/pending';
import { foldAll } from '@pts/db/testing/fold-all';
import { disableEndpoint, holdEndpoint, noteFailure } from '@pts/db/webhooks';
import { keyOf, newTrackings, targetOf } from '@pts/testing/factories';
import { startTestApi, type TestApi } from '../testing/test-api.ts';
import {
  addPending,
  FAILED,
  newMerchant,
  newRecord,
  newTestWebhook,
  type TestMerchant,
} from '../testing/test-deliveries.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
}, 60_000);
afterAll(() => api.close());

const shown = async ({ key, webhook }: TestMerchant) => {
  const { webhooks } = (await api.call('GET', '/webhooks', { key })).body.data;
  return webhooks.find(({ id }: { id: string }) => id === webhook.id);
};
const patch = ({ key, webhook }: TestMerchant, body: object) =>
  api.call('PATCH', `/webhooks/${webhook.id}`, { key, body });
const inAnHour = () => new Date(Date.now() + 3_600_000);

describe('GET /webhooks', () => {
  test('shows a healthy one and the number of its pending deliveries', async () => {
    const merchant = await newMerchant(api);
    expect(await shown(merchant)).toMatchObject({
      status: 'healthy',
      enabled: true,
      supersede: false,
      pending: 0,
      next_attempt_at: null,
      recent: { attempts: 0, failed: 0, median_ms: null, last_status_code: null },
      failing_since: null,
      retry_after: null,
      disabled_reason: null,
      disabled_at: null,
      previous_secret_until: null,
    });
    await addPending(api, merchant, 3);
    expect(await shown(merchant)).toMatchObject({ pending: 3 });
  });

  test('shows how its newest attempts went, without pings, and when the next one is due', async () => {
    const merchant = await newMerchant(api);
    for (const durationMs of [30, 40, 50]) await newRecord(api, merchant, { durationMs });
    const nextAttemptAt = new Date('2031-04-05T06:00:30Z');
    await newRecord(api, merchant, { ...FAILED, durationMs: 9000, state: 'owed', nextAttemptAt });
    await api.call('POST', '/webhooks/test', { key: merchant.key });
    expect(await shown(merchant)).toMatchObject({
      next_attempt_at: '2031-04-05T06:00:30Z',
      recent: { attempts: 4, failed: 1, median_ms: 40, last_status_code: 500 },
    });
    await holdEndpoint(api.db, targetOf(merchant.webhook), new Date('2099-04-05T06:00:00Z'));
    expect(await shown(merchant)).toMatchObject({ next_attempt_at: '2099-04-05T06:00:00Z' });
  });

  test('shows the attempts of the last 24 hours by hour, of each endpoint its own and without pings', async () => {
    const merchant = await newMerchant(api);
    const other = await newTestWebhook(api, merchant.key);
    const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
    const hoursAgo = (hours: number) => new Date(hour - hours * 3_600_000);
    // Also if an hour begins meanwhile.
    for (const startedAt of [hoursAgo(24), hoursAgo(22), hoursAgo(1), hoursAgo(1)])
      await newRecord(api, merchant, { startedAt });
    await newRecord(api, merchant, { ...FAILED, startedAt: hoursAgo(1) });
    await api.call('POST', '/webhooks/test', { key: merchant.key });
    await foldAll(api.db, () => null);
    const { hours } = await shown(merchant);
    const counted = hours.filter(({ accepted, failed }: Record<string, number>) => accepted || failed);
    expect(hours).toHaveLength(24);
    expect(counted).toEqual([
      { start: toUtcSeconds(hoursAgo(22)), accepted: 1, failed: 0 },
      { start: toUtcSeconds(hoursAgo(1)), accepted: 2, failed: 1 },
    ]);
    const { hours: others } = await shown({ ...merchant, webhook: other });
    expect(others.some(({ accepted, failed }: Record<string, number>) => accepted || failed)).toBe(false);
  });

  test('shows since when one is failing, and its Retry-After', async () => {
    const merchant = await newMerchant(api);
    await noteFailure(api.db, targetOf(merchant.webhook), new Date('2031-04-05T06:00:00Z'));
    await holdEndpoint(api.db, targetOf(merchant.webhook), new Date('2099-04-05T06:00:00Z'));
    expect(await shown(merchant)).toMatchObject({
      status: 'failing',
      failing_since: '2031-04-05T06:00:00Z',
      retry_after: '2099-04-05T06:00:00Z',
    });
  });

  test('shows when and why the service disabled one', async () => {
    const merchant = await newMerchant(api);
    await disableEndpoint(api.db, keyOf(merchant.webhook), 'It answered 410.', new Date('2031-04-05T06:00:00Z'));
    expect(await shown(merchant)).toMatchObject({
      status: 'disabled',
      enabled: false,
      disabled_reason: 'It answered 410.',
      disabled_at: '2031-04-05T06:00:00Z',
    });
  });

  test('shows until when the secret before the last rotation signs, while it does', async () => {
    const merchant = await newMerchant(api);
    await api.call('POST', `/webhooks/${merchant.webhook.id}/rotate-secret`, { key: merchant.key });
    expect((await shown(merchant)).previous_secret_until).toMatch(/Z$/);
    await api.db.webhook.update({ where: { id: merchant.webhook.id }, data: { retiredUntil: [new Date()] } });
    expect((await shown(merchant)).previous_secret_until).toBeNull();
  });

  test('counts pending deliveries to 1,000 and no further', async () => {
    const merchant = await newMerchant(api);
    await addPending(api, merchant);
    await api.db.$executeRaw`
      WITH copies AS (INSERT INTO messages (id, account_id, event, body)
        SELECT lpad(n::text, 24, '0'), account_id, event, body FROM messages, generate_series(1, 1500) n
        WHERE account_id = ${merchant.accountId} RETURNING id)
      INSERT INTO deliveries (message_id, webhook_id, account_id, fresh)
      SELECT id, ${merchant.webhook.id}, ${merchant.accountId}, id < lpad('700', 24, '0') FROM copies`;
    expect((await shown(merchant)).pending).toBe(1000);
  });
});

test('disabling one drops its pending deliveries, also if it is enabled at once', async () => {
  const [merchant, other] = [await newMerchant(api), await newMerchant(api)];
  for (const each of [merchant, other]) await addPending(api, each, 3);
  await newRecord(api, merchant, { ...FAILED, state: 'owed', nextAttemptAt: inAnHour() });
  const isDropping = { in_progress: expect.arrayContaining(['dropping_pending']), pending: 0, next_attempt_at: null };
  expect((await patch(merchant, { enabled: false })).body.data).toMatchObject(isDropping);
  expect((await patch(merchant, { enabled: true })).body.data).toMatchObject({ enabled: true, ...isDropping });
  // The dispatchers do it: however much is pending, the request does not wait for it.
  expect(await cancelPending(api.db, keyOf(merchant.webhook), 10)).toBe(4);
  await endDropping(api.db);
  expect(await shown(merchant)).toMatchObject({
    in_progress: expect.not.arrayContaining(['dropping_pending']),
    pending: 0,
  });
  expect(await shown(other)).toMatchObject({ pending: 3 });
});

describe('supersede', () => {
  test('is chosen at registration or later, and stays when the URL is registered again without it', async () => {
    const merchant = await newMerchant(api);
    const { key } = merchant;
    const webhook = await newTestWebhook(api, key, { supersede: true });
    const chosen = { ...merchant, webhook };
    expect(await shown(chosen)).toMatchObject({ supersede: true });
    await newTestWebhook(api, key, { url: webhook.url });
    expect(await shown(chosen)).toMatchObject({ supersede: true });
    expect((await patch(chosen, { supersede: false })).body.data).toMatchObject({ supersede: false });
    expect(await shown(merchant)).toMatchObject({ supersede: false });
    expect((await patch(chosen, { supersede: 'yes' })).body.code).toBe(4130);
  });
});

describe('PATCH /webhooks/{id}', () => {
  test('enabling clears the disabled reason, the failing state and the Retry-After', async () => {
    const merchant = await newMerchant(api);
    const { id } = merchant.webhook;
    await noteFailure(api.db, targetOf(merchant.webhook), new Date());
    await holdEndpoint(api.db, targetOf(merchant.webhook), inAnHour());
    await disableEndpoint(api.db, keyOf(merchant.webhook), 'It answered 410.', new Date());
    expect((await patch(merchant, { enabled: true })).body.data).toMatchObject({
      status: 'healthy',
      enabled: true,
      failing_since: null,
      retry_after: null,
      disabled_reason: null,
      disabled_at: null,
    });
    expect(await api.db.webhook.findUniqueOrThrow({ where: { id } })).toMatchObject({ lastFailedAt: null });
  });

  test('registering the URL of one that is disabled again does the same', async () => {
    const merchant = await newMerchant(api);
    await noteFailure(api.db, targetOf(merchant.webhook), new Date());
    await disableEndpoint(api.db, keyOf(merchant.webhook), 'It answered 410.', new Date());
    await newTestWebhook(api, merchant.key, { url: merchant.webhook.url });
    expect(await shown(merchant)).toMatchObject({ status: 'healthy', disabled_at: null, failing_since: null });
  });

  test('one that fails is shown as failing for as long as it does, whatever is sent again', async () => {
    const merchant = await newMerchant(api);
    const { url } = merchant.webhook;
    await noteFailure(api.db, targetOf(merchant.webhook), new Date('2031-04-05T06:00:00Z'));
    await holdEndpoint(api.db, targetOf(merchant.webhook), new Date('2099-04-05T06:00:00Z'));
    const failing = { status: 'failing', failing_since: '2031-04-05T06:00:00Z', retry_after: '2099-04-05T06:00:00Z' };
    await newTestWebhook(api, merchant.key, { url });
    expect(await shown(merchant)).toMatchObject(failing);
    expect((await patch(merchant, { url })).body.data).toMatchObject(failing);
    // Its owner wants it to go on now.
    expect((await patch(merchant, { enabled: true })).body.data).toMatchObject({ ...failing, retry_after: null });
  });

  test('disabling shows its time, and keeps an earlier time and reason of the service', async () => {
    const [mine, gone] = [await newMerchant(api), await newMerchant(api)];
    expect((await patch(mine, { enabled: false })).body.data).toMatchObject({
      status: 'disabled',
      disabled_reason: null,
      disabled_at: expect.stringMatching(/Z$/),
    });
    await disableEndpoint(api.db, keyOf(gone.webhook), 'It answered 410.', new Date('2031-04-05T06:00:00Z'));
    expect((await patch(gone, { enabled: false })).body.data).toMatchObject({
      disabled_reason: 'It answered 410.',
      disabled_at: '2031-04-05T06:00:00Z',
    });
  });

  test('enabling, and registering, waits for no check of the account; the webhook and its parcels say that they are being moved', async () => {
    const merchant = await newMerchant(api);
    const { key, accountId } = merchant;
    await patch(merchant, { enabled: false });
    const more = { provider: 'sandbox', carrier: 'sandbox' };
    const [trackingId = ''] = await newTrackings(api.db, accountId, ['SBXMONITORED'], new Date(), more);
    const check = { nextCheckAt: inAnHour(), fingerprint: 'x', claimedAt: new Date() };
    await api.db.check.update({ where: { trackingId }, data: check });
    const move = () => moveToMonitored(api.db, { monitoredSeconds: 300, floors: { sandbox: 0 }, now: new Date() });
    const explained = async () => (await api.call('GET', `/trackings/${trackingId}/explain`, { key })).body.data;
    while (await move());
    await endDropping(api.db);
    await api.db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM public.checks WHERE account_id = ${accountId} FOR UPDATE`;
      expect((await patch(merchant, { enabled: true })).body.data).toMatchObject({ in_progress: ['moving_checks'] });
      expect(await newTestWebhook(api, key)).toMatchObject({ enabled: true });
    });
    expect((await explained()).cadence.message).toContain('being moved to this interval');
    while (await move());
    const { nextCheckAt } = await api.db.check.findUniqueOrThrow({ where: { trackingId } });
    expect(nextCheckAt.getTime()).toBeLessThanOrEqual(Date.now() + 300_000);
    expect(await shown(merchant)).toMatchObject({ in_progress: [] });
    expect((await explained()).cadence.message).not.toContain('being moved');
  });

  test('a new url is checked as at registration and starts as healthy; the secret stays', async () => {
    const merchant = await newMerchant(api);
    const { id, url } = merchant.webhook;
    const before = await api.db.webhook.findUniqueOrThrow({ where: { id } });
    await noteFailure(api.db, targetOf(merchant.webhook), new Date());
    for (const refused of ['https://10.0.0.1/hook', 'ftp://example.com/', 'https://a.internal/', ''])
      expect((await patch(merchant, { url: refused })).body).toMatchObject({
        code: 4130,
        data: { errors: [{ field: 'url' }] },
      });
    expect(await shown(merchant)).toMatchObject({ url, status: 'failing' });
    const moved = await patch(merchant, { url: 'https://EXAMPLE.com/moved' });
    expect(moved.body.data).toMatchObject({ url: 'https://example.com/moved', status: 'healthy' });
    const after = await api.db.webhook.findUniqueOrThrow({ where: { id } });
    expect(after.encryptedSecret).toBe(before.encryptedSecret);
  });

  test('the url of another webhook of the account is refused', async () => {
    const merchant = await newMerchant(api);
    const other = await newTestWebhook(api, merchant.key);
    expect((await patch(merchant, { url: other.url })).body).toMatchObject({
      code: 4130,
      data: { errors: [{ field: 'url', message: expect.stringMatching(/another/) }] },
    });
  });
});
