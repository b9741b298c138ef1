import { eventually } from '@pts/testing/eventually';
import type { BrowserContext } from 'playwright-core';
import { merchantOf } from '../../support/merchant.ts';
import {
  type Console,
  choose,
  go,
  hold,
  IN_TROUBLE,
  refusal,
  rowsOf,
  withEndlessMoments,
  withoutClipboard,
} from '../support/console.ts';
import { vanishes } from '../support/forced-colours.ts';

const LONG_NAME = 'w'.repeat(40);

/** Parcels, from their registration to their end. */
export function parcelStories(at: () => Console): void {
  test('are registered after a look at their cost, and one arrives before the eyes of the reader', async () => {
    const { service, open } = at();
    const { page } = await open('/shipments/add');
    await page.getByLabel('Tracking numbers').fill('SBX‑EXPRESS‑71\nSBXNOTFOUND72\nSF1234567890123\n#1Z999');
    await page.getByText('Uses 2 units of quota.').waitFor();
    await page.getByText('2 numbers cannot be registered.').waitFor();
    await page.getByText('Details (optional)').click();
    await page.getByLabel('Title').fill('Red kite');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('2 parcels registered.').waitFor();
    expect(await page.getByLabel('Tracking numbers').inputValue()).toBe('SF1234567890123\n#1Z999');
    const list = page.getByRole('link', { name: 'Shipments', exact: true });
    await list.click();
    await rowsOf(page).first().waitFor();
    await page.goBack();
    expect(await page.getByLabel('Tracking numbers').inputValue()).toBe('SF1234567890123\n#1Z999');
    expect(await page.getByLabel('Title').isVisible()).toBe(true);
    expect(await page.getByLabel('Title').inputValue()).toBe('Red kite');
    await list.click();
    const row = rowsOf(page).filter({ hasText: 'SBXEXPRESS71' });
    await row.getByText('Delivered', { exact: true }).waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    // The list may have been read after all news of the first one.
    await merchantOf(service).register('SBXEXPRESS70');
    await page.getByRole('button', { name: /^Show [\d,]+ updates?$/ }).click();
    await row.getByRole('link', { name: 'SBXEXPRESS71' }).click();
    const drawer = page.getByRole('complementary');
    await drawer.getByText('Out for delivery').first().waitFor();
    expect(new URL(page.url()).searchParams.get('open')).toMatch(/^[0-9a-f]{24}$/);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).searchParams.get('open')).toBeNull();
    // Closed as by Back, which now leads to the view before.
    await page.goBack();
    await page.getByLabel('Tracking numbers').waitFor();
  });

  test('are not typed while others are registered: what is left of these replaces them', async () => {
    const { back, release } = hold();
    const refuseOnce = (context: BrowserContext) =>
      context.route('**/api/v1/trackings/batch', (route) => route.fulfill(refusal(400)), { times: 1 });
    const { page } = await at().open('/shipments/add?numbers=SBXNOTFOUND61', { before: refuseOnce });
    const field = page.getByLabel('Tracking numbers');
    await page.getByText('Refused for the test.').waitFor();
    expect(await page.getByText('Looking at 1…').count()).toBe(0);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Uses 1 unit of quota.').waitFor();
    await back(page, '**/api/v1/trackings/batch');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('button', { name: 'Register' }).waitFor({ state: 'detached' });
    expect(await field.isEditable()).toBe(false);
    release();
    await page.getByText('1 parcel registered.').waitFor();
    expect(await field.isEditable()).toBe(true);
    // What an address names is taken once, also if the view is shown already.
    await go(page, at().address('/shipments'));
    await page.getByRole('heading', { name: 'Shipments' }).waitFor();
    await page.goBack();
    await field.waitFor();
    expect(await field.inputValue()).toBe('');
    await go(page, at().address('/shipments/add?numbers=SBXNOTFOUND62,SBXNOTFOUND63'));
    await eventually(async () => expect(await field.inputValue()).toBe('SBXNOTFOUND62\nSBXNOTFOUND63'));
  });

  test('are no longer registered once the reader has signed out', async () => {
    const { held, release } = hold();
    const { page } = await at().open('/shipments/add', { before: withEndlessMoments });
    const numbers = Array.from({ length: 41 }, (_, n) => `SBXNOTFOUND${5100 + n}`);
    await page.getByLabel('Tracking numbers').fill(numbers.join('\n'));
    await page.getByText('Uses 41 units of quota.').waitFor();
    let sent = 0;
    await page.route('**/api/v1/trackings/batch', async (route) => {
      sent += 1;
      await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('0 of 41').waitFor();
    await page.getByRole('button', { name: 'demo' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key', { exact: true }).waitFor();
    release();
    await page.getByText('40 parcels registered. 1 number not registered.').waitFor();
    expect(sent).toBe(1);
  });

  test('a correction does not undo what changes while it is typed; the id of its refusal is copied over plain http, too', async () => {
    const { service, open } = at();
    const { client, register } = merchantOf(service);
    // It has no news without a phone.
    const { id } = await register('SBXPHONE62');
    const { page } = await open(`/shipments?open=${id}`, { before: withoutClipboard });
    const change = `**/api/v1/trackings/${id}?*`;
    const steps = await page.evaluate(() => history.length);
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Title', { exact: true }).fill('Green jacket');
    expect(await page.evaluate(() => history.length)).toBe(steps);
    const { back, release } = hold();
    await back(page, change, { method: 'PATCH', answer: refusal(400) });
    await page.getByRole('button', { name: 'Save' }).click();
    // The form may be closed too early.
    await page.keyboard.press('Escape');
    await page.getByLabel('Title', { exact: true }).waitFor({ state: 'hidden' });
    release();
    await page.getByText('Refused for the test.').waitFor();
    await page.unroute(change);
    await choose(page, 'Edit');
    await page.getByLabel('Title', { exact: true }).fill('Blue jacket');
    await page.route(change, (route) =>
      route.request().method() === 'GET' ? route.continue() : route.fulfill(refusal(400, { 'X-Request-Id': 'r-62' })),
    );
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Copy r-62' }).click();
    await eventually(async () => expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('r-62'));
    await page.unroute(change);
    await client.trackings.update(id, { phone: '5678', metadata: { shop: 'Kiel' } });
    await page.getByText('Kiel', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Blue jacket', { exact: true }).waitFor();
    expect(await client.trackings.one(id)).toMatchObject({
      ...{ phone: '5678', metadata: { shop: 'Kiel' }, title: 'Blue jacket' },
    });
  });

  test('their explanation and their events are read again when news comes, not by a timer, also while a page begins', async () => {
    const { service, open } = at();
    const { client, register } = merchantOf(service);
    const { id } = await register('SBXEXPRESS77');
    const withoutTimer = (context: BrowserContext) =>
      context.addInitScript(() => {
        globalThis.setInterval = (() => 0) as unknown as typeof setInterval;
      });
    const { back, release } = hold();
    const [{ page: explained }, { page: events }] = await Promise.all([
      open(`/shipments/${id}?tab=explain`, {
        before: async (context) => {
          await withoutTimer(context);
          // The feed begins after the last news.
          await context.route('**/api/v1/events?*', async (route) => {
            await eventually(async () => expect((await client.trackings.one(id)).sub_status).toBe('delivered'));
            await route.continue();
          });
        },
      }),
      open(`/shipments/${id}?tab=events`, {
        before: async (context) => {
          await withoutTimer(context);
          // The last news comes while the events are read for the first time.
          await back(context, `**/api/v1/trackings/${id}/events`, { late: true });
        },
      }),
    ]);
    await explained.getByText(/^(It has arrived\.|Polling has stopped because the parcel was delivered\.)/).waitFor();
    for (const [name, isHidden] of [
      ['Explain', false],
      ['Raw', true],
    ] as const)
      expect(await vanishes(explained.getByRole('button', { name }), 'border-bottom-color')).toBe(isHidden);
    await events.getByText('Delivered', { exact: true }).first().waitFor();
    release();
    await events.getByText('tracking_delivered').waitFor();
  });

  test('have a page: history, explanation, record, corrections; printed without what can be pressed; removing one can be undone', async () => {
    const { service, open } = at();
    const { id } = await merchantOf(service).register('SBXNOTFOUND73');
    const { page } = await open(`/shipments/${id}`, { before: withEndlessMoments });
    await page.getByRole('heading', { name: 'SBXNOTFOUND73' }).waitFor();
    await page.getByRole('button', { name: 'Check now' }).waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(
      await page
        .getByRole('button')
        .or(page.getByRole('link', { name: 'Overview' }))
        .count(),
    ).toBe(0);
    await page.emulateMedia({ media: null });
    const { back, release } = hold();
    const reads = `**/api/v1/trackings/${id}?*`;
    await back(page, reads, { method: 'GET', late: true });
    // It is checked once, however often the key is pressed.
    const asked = hold();
    await asked.back(page, '**/trackings/retrack/*');
    await page.keyboard.press('r');
    await page.getByRole('button', { name: 'Check now', disabled: true }).waitFor();
    await page.keyboard.press('r');
    asked.release();
    await page.getByText('Checking with the carrier.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.unroute('**/trackings/retrack/*');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByRole('heading', { name: 'Checking' }).waitFor();
    await page.getByRole('button', { name: 'Raw' }).click();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`/api/v1/trackings/${id}`);
    expect(copied).not.toContain(service.ready.api_key);
    await choose(page, 'Edit');
    await page.getByLabel('Title').fill('Blue jacket');
    await page.getByLabel('Phone').fill('5678');
    await page.getByLabel('Destination').fill('de');
    await page.getByRole('button', { name: 'Add a field' }).click();
    await page.getByLabel('Name').fill(LONG_NAME);
    await page.getByLabel('Value').fill('Hangzhou');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Blue jacket', { exact: true }).waitFor();
    await page.getByText('Hangzhou', { exact: true }).waitFor();
    const name = page.getByRole('term').filter({ hasText: LONG_NAME });
    expect(await name.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    // A read that began before the change and ends after it does not undo it.
    const read = page.waitForResponse(reads);
    release();
    await (await read).finished();
    await page.unroute(reads);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    expect(await page.getByText('Blue jacket', { exact: true }).isVisible()).toBe(true);
    await choose(page, 'Stop checking');
    await page.getByText('Checking stopped', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop checking' }).waitFor({ state: 'hidden' });
    await choose(page, 'Delete');
    await rowsOf(page).first().waitFor();
    const removed = page.getByRole('link', { name: 'SBXNOTFOUND73' });
    expect(await removed.count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await removed.waitFor();
    expect(await merchantOf(service).client.trackings.one(id)).toMatchObject({
      ...{ title: 'Blue jacket', phone: '5678', destination_country: 'DE', metadata: { [LONG_NAME]: 'Hangzhou' } },
    });
  });

  const MAP = 'https://www.openstreetmap.org';
  test.each([
    [
      { name: 'Locker 01', opening_hours: '24/7', latitude: 54.3, longitude: 10.1 },
      `${MAP}/?mlat=54.3&mlon=10.1#map=17/54.3/10.1`,
    ],
    [{ name: '自提柜 01', address: '车站路 1 号' }, `${MAP}/search?query=${encodeURIComponent('车站路 1 号')}`],
    [{ name: 'Kiosk by the station' }, null],
  ])('show where they are picked up: %j', async (point, map) => {
    const { service, open } = at();
    const { id = '' } = (await merchantOf(service).client.trackings.get([IN_TROUBLE])).success[0] ?? {};
    const { page } = await open(`/shipments?open=${id}`, {
      before: (context) =>
        context.route(`**/api/v1/trackings/${id}?*`, async (route) => {
          expect(new URL(route.request().url()).searchParams.get('include')).toContain('pickup');
          const { data, ...envelope } = await (await route.fetch()).json();
          await route.fulfill({ json: { ...envelope, data: { ...data, pickup_point: point } } });
        }),
    });
    const shown = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Pick-up point' }) });
    await shown.waitFor();
    for (const text of Object.values(point).filter((one) => typeof one === 'string'))
      await shown.getByText(text, { exact: true }).waitFor();
    const link = shown.getByRole('link', { name: 'Show on a map' });
    expect(map === null ? await link.count() : await link.getAttribute('href')).toBe(map ?? 0);
  });

  test('are restored at their own address, within a day', async () => {
    const { service, open } = at();
    const { client, register } = merchantOf(service);
    const { id } = await register('SBXNOTFOUND78');
    await client.trackings.delete(id);
    const { page } = await open(`/shipments/${id}`);
    await page.getByText('Parcel not found. It may have been deleted.').waitFor();
    await page.getByRole('button', { name: 'Restore it' }).click();
    await page.getByRole('heading', { name: 'SBXNOTFOUND78' }).waitFor();
    expect((await client.trackings.one(id)).tracking_number).toBe('SBXNOTFOUND78');
  });

  test('get pages for their buyers, whose links are opened, replaced and revoked', async () => {
    const { service, open } = at();
    const { client, register } = merchantOf(service);
    const { id } = await register('SBXORDINARY74');
    const { page } = await open(`/shipments/${id}`, {
      before: (context) =>
        context.route('**/api/v1/account/pages', (route) => route.fulfill(refusal(400)), { times: 1 }),
    });
    await page.getByText('Refused for the test.').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Turn on for all parcels' }).click();
    const link = page.getByRole('link', { name: /\/t\// });
    const first = (await link.getAttribute('href')) ?? '';
    const stranger = await open('/', { signedOut: true });
    await stranger.page.goto(first);
    await stranger.page.getByText('SBXORDINARY74').waitFor();
    await page.getByRole('button', { name: 'New link' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'New link' }).click();
    await page.getByText(first).waitFor({ state: 'hidden' });
    expect((await stranger.page.goto(first))?.status()).toBe(404);
    await page.getByRole('button', { name: 'Revoke the link' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke the link' }).click();
    await page.getByText('Link revoked').waitFor();
    expect((await client.trackings.one(id)).tracking_page_url).toBeUndefined();
  });
}
