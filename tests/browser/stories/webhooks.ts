import { eventually } from '@pts/testing/eventually';
import { type Receiver, startReceiver } from '@pts/testing/http-server';
import { merchantOf } from '../../support/merchant.ts';
import { type Console, hold, IN_TROUBLE, refusal, rowsOf, withEndlessMoments } from '../support/console.ts';
import { vanishes } from '../support/forced-colours.ts';

let receiver: Receiver;
let status = 500;
let failures = 0;
let parcel = '';

/**
 * An endpoint of the merchant that fails and is repaired. Its end is another story, as the service waits before it
 * tries again.
 */
export function webhookStories(at: () => Console): void {
  test('a broken receiver is seen, repaired, checked, and sent everything again', async () => {
    receiver = await startReceiver({ respond: () => ({ status, body: 'no space left' }) });
    const { service, open } = at();
    const { client, register } = merchantOf(service);
    const { page } = await open('/webhooks', { before: withEndlessMoments });
    // Its news would fail before the endpoint is seen to be healthy.
    await eventually(async () => {
      expect((await client.trackings.get([IN_TROUBLE])).success).toMatchObject([{ sub_status: 'exception' }]);
    });
    await page.getByRole('button', { name: 'Add an endpoint' }).first().click();
    await page.getByLabel('Address').fill('http://shop');
    await page.getByRole('dialog').getByRole('button', { name: 'Add an endpoint' }).click();
    await page.getByText('Address must name a public host; "shop" is a local name.').waitFor();
    await page.getByLabel('Address').fill(receiver.url);
    const { back, release } = hold();
    await back(page, '**/api/v1/webhooks', { method: 'POST' });
    await page.getByRole('dialog').getByRole('button', { name: 'Add an endpoint' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    release();
    await page.getByText(/whsec_/).waitFor();
    // What is shown once stays until it is closed on purpose.
    await page.mouse.click(5, 5);
    await page.getByRole('button', { name: 'I saved it' }).click();
    await page.getByRole('button', { name: 'Add an endpoint' }).first().click();
    await page.getByText('A public https address.').waitFor();
    await page.getByLabel('Address').fill(receiver.url);
    await page.getByText('This endpoint already exists.').waitFor();
    await page.keyboard.press('Escape');
    const endpoint = rowsOf(page).filter({ hasText: receiver.url });
    await endpoint.getByText('Not verified').waitFor();
    await endpoint.getByRole('button', { name: `Copy ${receiver.url}` }).click();
    await endpoint.getByText('Copied').waitFor();
    ({ id: parcel } = await register('SBXEXPRESS91'));
    await endpoint.getByText('Failing').waitFor();
    await endpoint.getByRole('img', { name: /^Attempts per hour.* 0 accepted, [1-9]\d* failed\.$/ }).waitFor();
    await endpoint.getByText(/^100% of \d+ attempts? failed in the last 24 hours$/).waitFor();
    await endpoint.getByRole('link', { name: receiver.url }).click();
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByLabel('Status', { exact: true }).fill('201');
    await page.getByText('No deliveries match.').waitFor();
    await page.getByLabel('Status', { exact: true }).fill('500');
    await page.getByLabel('From', { exact: true }).fill('2020-01-01T00:00');
    await page.getByRole('link', { name: 'tracking_update' }).first().click();
    const { searchParams } = new URL(page.url());
    expect([...searchParams.keys()]).toEqual(['code', 'since', 'attempt']);
    const drawer = page.getByRole('complementary');
    await drawer.getByText('no space left').waitFor();
    await drawer.getByText('First byte').waitFor();
    expect(await vanishes(drawer.locator('td > div').first(), 'background-color')).toBe(false);
    await drawer.getByRole('button', { name: 'Resend' }).click();
    await page.getByText('Resending.').waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).searchParams.has('attempt')).toBe(false);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    const resend = page.getByRole('dialog', { name: /^Resend \d+\?$/ });
    await page.getByRole('button', { name: 'Resend failed' }).click();
    await resend.waitFor();
    // The question may be closed too early.
    const refused = hold();
    await refused.back(page, '**/api/v1/bulk/redeliver', { answer: refusal(409) });
    await resend.getByRole('button', { name: 'Resend' }).click();
    await page.keyboard.press('Escape');
    await resend.waitFor({ state: 'hidden' });
    refused.release();
    await page.getByText('Refused for the test.').waitFor();
    await page.unroute('**/api/v1/bulk/redeliver');
    await page.getByRole('button', { name: 'Resend failed' }).click();
    await resend.waitFor();
    // Another filter is another question.
    await page.goBack();
    await resend.waitFor({ state: 'hidden' });
    await page.goForward();
    await page.getByRole('button', { name: 'Resend failed' }).click();
    await resend.waitFor();
    // Not earlier: what failed would be sent again without being asked for.
    status = 200;
    failures = receiver.requests.length;
    await resend.getByRole('button', { name: 'Resend' }).click();
    await page.getByText(/^Resend: \d+ done/).waitFor();
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByRole('button', { name: 'Verify the endpoint' }).click();
    await page.getByText('The endpoint does not verify pushes correctly.').waitFor();
    // News of parcels still comes.
    const tests = () => receiver.requests.filter(({ rawBody }) => rawBody.includes('"test":'));
    const received = tests().length;
    await page.getByText(/X-Webhook-Event: tracking_update\n/).waitFor();
    await page.getByLabel('Push', { exact: true }).selectOption('tampered');
    await page.getByLabel('Event', { exact: true }).selectOption('tracking_delivered');
    const composed = page.getByText('Signed content (the body is changed afterwards)');
    await composed.waitFor();
    const preview = await page
      .getByText(/X-Webhook-Event: tracking_delivered\n/)
      .first()
      .textContent();
    expect(preview).toMatch(/^POST .*\nX-Webhook-Signature: t=\d+,v1=[0-9a-f]{64}\n.*"test":null/s);
    await page.getByText(/^\d+\.\{.*"test":true/s).waitFor();
    expect(tests()).toHaveLength(received);
    await page.getByRole('button', { name: 'Send test' }).click();
    // What came back takes the place of what is sent, which has such a header, too.
    await composed.waitFor({ state: 'hidden' });
    await page.getByText('X-Webhook-Id: ').waitFor();
    await page.getByText('responded 200, expected 401').last().waitFor();
    await page.getByText('"test":null').waitFor();
    expect(tests()).toHaveLength(received + 1);
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByRole('main').locator('form').getByRole('button', { name: 'Replay' }).click();
    const question = page.getByRole('dialog', { name: /^Resend \d+ events?\?$/ });
    await question.getByRole('button', { name: 'Replay' }).click();
    // The list of what was sent again because it failed says the same.
    const replay = rowsOf(page).filter({ hasText: /\d of \d+$/ });
    await replay.getByText('Done', { exact: true }).waitFor();
  });

  test('the attempts of all endpoints are behind the figures; one leads to its parcel', async () => {
    const { page } = await at().open('/', { before: withEndlessMoments });
    await page.getByRole('link', { name: /Pushes accepted.*%/ }).click();
    const main = page.getByRole('main');
    await main.getByLabel('Endpoint', { exact: true }).selectOption({ label: receiver.url });
    await main.getByLabel('Outcome', { exact: true }).selectOption({ label: 'Failed' });
    const failed = rowsOf(page)
      .filter({ hasText: receiver.url.replace('http://', '') })
      .filter({ has: page.getByText('500', { exact: true }) });
    await failed.first().waitFor();
    const { searchParams } = new URL(page.url());
    expect([...searchParams.keys()]).toEqual(['tab', 'since', 'endpoint', 'outcome']);
    const replay = (await main.getByRole('link', { name: 'Replay' }).getAttribute('href')) ?? '';
    expect(new URL(replay, page.url()).searchParams.get('since')).toBe(searchParams.get('since'));
    expect(await failed.first().getByRole('link', { name: 'SBXEXPRESS91' }).getAttribute('href')).toMatch(
      /\/shipments\//,
    );
    await failed
      .first()
      .getByRole('link', { name: /^tracking_/ })
      .click();
    const drawer = page.getByRole('complementary');
    await drawer.getByRole('link', { name: receiver.url }).waitFor();
    await drawer.getByRole('button', { name: `Copy ${receiver.url}` }).waitFor();
    await drawer.getByRole('link', { name: 'SBXEXPRESS91' }).click();
    await page.getByRole('heading', { name: 'SBXEXPRESS91' }).waitFor();
  });

  test('a link to an attempt that does not exist says so, and offers no retry', async () => {
    const { page } = await at().open('/webhooks?tab=deliveries&attempt=6a2b4f0c81d3e5a7b9c2d4f6');
    const drawer = page.getByRole('complementary', { name: 'Attempt', exact: true });
    await drawer.getByText(/^Attempt not found/).waitFor();
    expect(await drawer.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  test('an endpoint is added disabled, with a filter and a header; enabled, it gets what it missed and passes', async () => {
    const { service, open } = at();
    const { client, register } = merchantOf(service);
    const wanted = await startReceiver();
    const { page } = await open('/webhooks', { before: withEndlessMoments });
    await page.getByRole('button', { name: 'Add an endpoint' }).first().click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Address').fill(wanted.url);
    await form.getByLabel('Start disabled').check();
    await form.getByText('Filter, headers and format').click();
    await form.getByLabel('Metadata').fill('shop = hangzhou, kiel');
    const [name, value] = ['Name', 'Value'].map((label) => form.getByLabel(label, { exact: true }));
    const submit = form.getByRole('button', { name: 'Add an endpoint' });
    for (const [typed, content, fault] of [
      ['Host', 'kiel', /^Name is reserved/],
      ['X Key', 'kiel', /^Name is not the name of a header/],
      ['X-Key', 'kiel ', /^Value must have 1 to/],
    ] as const) {
      await name?.fill(typed);
      await value?.fill(content);
      await submit.click();
      await form.getByText(fault).waitFor();
      expect(await form.getByText('The request was rejected.').count()).toBe(0);
    }
    await name?.fill('Via');
    await form.getByRole('button', { name: 'Add the header' }).click();
    await submit.click();
    await form
      .getByRole('listitem')
      .getByText(/^Via is reserved/)
      .waitFor();
    await form.getByRole('button', { name: 'Remove Via' }).click();
    // What is typed is saved even if it was not added to the list.
    await name?.fill('X-Api-Key');
    await value?.fill('gateway-key-7Q');
    await submit.click();
    await page.getByRole('button', { name: 'I saved it' }).click();
    const endpoint = rowsOf(page).filter({ hasText: wanted.url });
    await endpoint.getByText('only shop = hangzhou, kiel | with X-Api-Key').waitFor();
    await endpoint.getByText('Disabled', { exact: true }).waitFor();
    const { id: passing } = await register('SBXEXPRESS92', { metadata: { shop: 'kiel' } });
    const { id: other } = await register('SBXEXPRESS93');
    for (const id of [passing, other])
      await eventually(async () => expect((await client.trackings.events(id)).events.length).toBeGreaterThan(0));
    await endpoint.getByRole('link', { name: wanted.url }).click();
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await page.getByText('X-Api-Key: ****7Q').waitFor();
    await page.getByRole('button', { name: 'Enable and send what it missed' }).click();
    await eventually(() => expect(wanted.requests.length).toBeGreaterThan(0));
    const ids = new Set(wanted.requests.map(({ rawBody }) => JSON.parse(rawBody).data.id));
    expect([...ids]).toEqual([passing]);
    expect(wanted.requests[0]?.headers['x-api-key']).toBe('gateway-key-7Q');
    const { id: heldBack } = await register('SBXEXPRESS94');
    await eventually(async () => expect((await client.trackings.events(heldBack)).events.length).toBeGreaterThan(0));
    const { page: parcelPage } = await open(`/shipments/${heldBack}?tab=events`);
    await parcelPage.getByText('held back by its filter').first().waitFor();
    await client.webhooks.delete(
      (await client.webhooks.list()).webhooks.find(({ url }) => url === wanted.url)?.id ?? '',
    );
    await wanted.close();
  });

  test('saving a setting keeps what somebody else has changed meanwhile', async () => {
    const { service, open } = at();
    const { client } = merchantOf(service);
    const events = ['tracking_update'] as const;
    const { url, close } = await startReceiver();
    const { id } = await client.webhooks.register({ url, events: [...events] });
    const { page } = await open(`/webhooks/${id}?tab=settings`, { before: withEndlessMoments });
    const merges = page.getByRole('checkbox', { name: /^While the endpoint fails, keep only/ });
    await merges.waitFor();
    await client.webhooks.patch(id, { events: ['tracking_delivered'] });
    await merges.check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    const saved = (await client.webhooks.list()).webhooks.find((one) => one.id === id);
    expect(saved).toMatchObject({ events: ['tracking_delivered'], supersede: true });
    expect(await page.getByRole('checkbox', { name: /tracking_update/ }).isChecked()).toBe(false);
    await client.webhooks.delete(id);
    await close();
  });

  test('a question that is put again does not show what was refused before, which is said also if it was closed too early', async () => {
    const { service, open } = at();
    const { client } = merchantOf(service);
    const { url, close } = await startReceiver();
    const { id } = await client.webhooks.register({ url, events: ['tracking_exception'] });
    const { page } = await open(`/webhooks/${id}?tab=settings`);
    const { back, release } = hold();
    await back(page, `**/api/v1/webhooks/${id}`, { method: 'DELETE', answer: refusal(409) });
    const remove = page.getByRole('main').getByRole('button', { name: 'Delete endpoint' });
    const dialog = page.getByRole('dialog');
    await remove.click();
    await dialog.getByRole('button', { name: 'Delete endpoint' }).click();
    // The question may be closed too early.
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    release();
    await page.getByText('Refused for the test.').waitFor();
    await remove.click();
    await dialog.getByRole('button', { name: 'Delete endpoint' }).click();
    await dialog.getByText('Refused for the test.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await remove.click();
    await dialog.getByText(url).waitFor();
    expect(await dialog.getByRole('alert').count()).toBe(0);
    await client.webhooks.delete(id);
    await close();
  });

  test('the year of a time that narrows the log is typed digit by digit', async () => {
    const { page } = await at().open('/webhooks?tab=deliveries&since=2026-11-01T10:30:00.000Z');
    const since = () => new URL(page.url()).searchParams.get('since');
    const field = page.locator('input[type=datetime-local]').first();
    await field.focus();
    // Past the month and the day.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    for (const digit of '202') await page.keyboard.press(digit);
    expect(since()).toBe('2026-11-01T10:30:00.000Z');
    await page.keyboard.press('5');
    await eventually(async () => expect(since()).toBe('2025-11-01T10:30:00.000Z'));
    expect(await field.inputValue()).toBe('2025-11-01T11:30');
  });
}

/** The same endpoint, some time later. */
export function repairedStories(at: () => Console): void {
  afterAll(() => receiver?.close());

  test('the repaired receiver is healthy, has caught up, and is removed', async () => {
    const { page } = await at().open('/webhooks', { before: withEndlessMoments });
    const endpoint = rowsOf(page).filter({ hasText: receiver.url });
    await endpoint.getByText('Healthy').waitFor();
    const events = () => receiver.requests.slice(failures).map(({ headers }) => headers['x-webhook-event']);
    await eventually(() => expect(events()).toContain('tracking_delivered'));
    await endpoint.getByRole('link', { name: receiver.url }).click();
    await page.getByRole('button', { name: 'Settings', exact: true }).waitFor();
    const { page: parcelPage } = await at().open(`/shipments/${parcel}?tab=events`);
    const event = parcelPage.getByRole('listitem').filter({ hasText: 'tracking_delivered' });
    await event.getByText('delivered', { exact: true }).waitFor();
    await event.getByRole('button', { name: `Copy ${receiver.url}` }).waitFor();
    await event.getByRole('link', { name: receiver.url }).click();
    await parcelPage.getByRole('complementary').getByText('Accepted by your server.').waitFor();
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await page.getByRole('button', { name: 'Delete endpoint' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete endpoint' }).click();
    await page.getByText('Endpoint deleted.').waitFor();
  });
}
