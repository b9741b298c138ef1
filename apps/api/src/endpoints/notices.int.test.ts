import { loadDue } from '@pts/db/deliveries/attempts';
import { sendNotices } from '@pts/db/deliveries/pending';
import { feedReplays } from '@pts/db/deliveries/send-again';
import { storeNotice } from '@pts/db/notices';
import { disableEndpoint } from '@pts/db/webhooks';
import { allDue, freshNumber, keyOf } from '@pts/testing/factories';
import { startTestApi, type TestApi } from '../testing/test-api.ts';
import { attempted, newTestWebhook } from '../testing/test-deliveries.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
}, 60_000);
afterAll(() => api.close());

const merchant = async (more = {}) => {
  const { id: accountId, key } = await api.account(more);
  const call = async (method: string, path: string, body?: object) =>
    (await api.call(method, path, { key, ...(body && { body }) })).body;
  return { accountId, key, call };
};
type Merchant = Awaited<ReturnType<typeof merchant>>;
const IMPORT = { state: 'done' as const, file_name: 'a.csv', registered: 3, rejected: 1 };
const note = ({ accountId }: Merchant, subject: string) =>
  storeNotice(api.db, { kind: 'import_ended', accountId, subject, details: IMPORT, since: new Date() });
const hook = (shop: Merchant, more = {}) => newTestWebhook(api, shop.key, { events: ['account_notice'], ...more });
const send = () => sendNotices(api.db, { limit: 100, now: new Date() });

describe('GET /account/notices', () => {
  test('has none at first, then those of the account alone, newest first, page after page', async () => {
    const shop = await merchant();
    await note(await merchant(), 'other');
    expect(await shop.call('GET', '/account/notices')).toMatchObject({
      data: { count: 0, notices: [], next_before: null },
    });
    for (const subject of ['1', '2', '3']) await note(shop, subject);
    const first = (await shop.call('GET', '/account/notices?limit=2')).data;
    expect(first.notices.map((notice: { subject: string }) => notice.subject)).toEqual(['3', '2']);
    const rest = (await shop.call('GET', `/account/notices?limit=2&before=${first.next_before}`)).data;
    expect(rest).toMatchObject({ count: 1, notices: [{ subject: '1', details: IMPORT }], next_before: null });
    expect(await shop.call('GET', '/account/notices?before=x')).toMatchObject({ code: 4130 });
  });

  test('says what registrations used of the quota, in the language asked for, or that of the account', async () => {
    const shop = await merchant({ quota: 5 });
    for (let n = 0; n < 5; n++)
      await shop.call('POST', '/trackings/create', { tracking_number: freshNumber(), courier_code: 'yto' });
    const list = async (query = '') => (await shop.call('GET', `/account/notices${query}`)).data.notices;
    const percents = (await list()).map((notice: { details: { percent: number } }) => notice.details.percent);
    expect(percents).toEqual([100, 95, 80]);
    expect((await list())[2].text).toBe('80 % of this month’s quota is used: 4 of 5 units.');
    await shop.call('PATCH', '/account', { lang: 'es' });
    const [{ text }] = await list('?limit=1');
    // The account of the key may be a second old.
    expect(text).toMatch(/^(La cuota de este mes|This month’s quota)/);
    expect((await list('?lang=de'))[2].text).toMatch(/^80 % des Kontingents/);
  });

  test('shows how a webhook was disabled by the service, and not that its owner did it', async () => {
    const shop = await merchant();
    const [one, other] = [await hook(shop), await hook(shop)];
    await disableEndpoint(api.db, keyOf(one), 'The receiver responded with 410 Gone.', new Date());
    await shop.call('PATCH', `/webhooks/${other.id}`, { enabled: false });
    const { notices } = (await shop.call('GET', '/account/notices')).data;
    expect(notices).toMatchObject([
      {
        kind: 'webhook_disabled',
        subject: one.id,
        details: { url: one.url, reason: 'The receiver responded with 410 Gone.' },
      },
    ]);
  });
});

describe('the push of a notice', () => {
  test('is logged, explained, sent again and replayed as any other, without a parcel', async () => {
    const shop = await merchant();
    const webhook = await hook(shop);
    await note(shop, 'import');
    await send();
    const [delivery] = await loadDue(api.db, [allDue(webhook)], new Date());
    if (!delivery) throw new Error('nothing is pending');
    expect(JSON.parse(delivery.body)).toMatchObject({
      event: 'account_notice',
      data: { notice: { subject: 'import' } },
    });
    const recordId = await attempted(api, delivery);
    const log = (await shop.call('GET', '/webhooks/deliveries?event=account_notice&outcome=delivered')).data;
    expect(log.items).toMatchObject([{ id: recordId, event: 'account_notice', message_id: delivery.messageId }]);
    const record = (await shop.call('GET', `/webhooks/deliveries/${recordId}`)).data;
    expect(JSON.parse(record.request.body)).toEqual(JSON.parse(delivery.body));
    expect(await shop.call('POST', `/webhooks/deliveries/${recordId}/redeliver`)).toMatchObject({
      data: { event: 'account_notice', state: 'owed', round: 1 },
    });
    for (const due of await loadDue(api.db, [allDue(webhook)], new Date())) await attempted(api, due);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const replay = `/webhooks/${webhook.id}/replay`;
    expect(await shop.call('POST', replay, { since, dry_run: true })).toMatchObject({ data: { total: 1 } });
    await shop.call('POST', replay, { since });
    await feedReplays(api.db, new Date());
    expect(await loadDue(api.db, [allDue(webhook)], new Date())).toMatchObject([{ round: 2, event: 'account_notice' }]);
    expect(
      await shop.call('POST', '/bulk/redeliver', { filter: { event: 'account_notice' }, dry_run: true }),
    ).toMatchObject({
      data: { matched: 1 },
    });
  });

  test('passes filters, which are about parcels, and keeps its form in webhooks of /v4', async () => {
    const shop = await merchant();
    const webhook = await hook(shop, { filter: { carriers: ['ups'] }, format: 'v4' });
    await note(shop, 'import');
    await send();
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const [delivery] = await loadDue(api.db, [allDue(webhook)], new Date());
    const record = (await shop.call('GET', `/webhooks/deliveries/${await attempted(api, delivery as never)}`)).data;
    expect(JSON.parse(record.request.body)).toMatchObject({ event: 'account_notice' });
    expect(await shop.call('POST', `/webhooks/${webhook.id}/replay`, { since, dry_run: true })).toMatchObject({
      data: { total: 1 },
    });
  });

  test('is no event of the feed', async () => {
    const shop = await merchant();
    await hook(shop);
    await note(shop, 'import');
    await send();
    expect(await api.db.message.count({ where: { accountId: shop.accountId } })).toBe(1);
    expect(await shop.call('GET', '/events')).toMatchObject({ data: { events: [], has_more: false } });
    expect(await shop.call('GET', '/events?last=5')).toMatchObject({ data: { events: [] } });
    expect(await shop.call('GET', '/events?event=account_notice')).toMatchObject({ code: 4130 });
  });

  test('that a disabled webhook missed is sent when it is enabled with replay', async () => {
    const shop = await merchant();
    const webhook = await hook(shop, { enabled: false });
    await note(shop, 'import');
    await send();
    expect(await loadDue(api.db, [allDue(webhook)], new Date())).toEqual([]);
    await shop.call('PATCH', `/webhooks/${webhook.id}`, { enabled: true, replay: true });
    await feedReplays(api.db, new Date());
    expect(await loadDue(api.db, [allDue(webhook)], new Date())).toMatchObject([{ event: 'account_notice' }]);
  });

  test('can be tested with a sample', async () => {
    const shop = await merchant();
    const { id } = await hook(shop);
    const { data } = await shop.call('POST', '/webhooks/test', { id, event: 'account_notice', dry_run: true });
    expect(JSON.parse(data.push.body)).toMatchObject({ test: true, data: { notice: { kind: 'quota_used' } } });
  });
});
