import { eventually } from '@pts/testing/eventually';
import { startReceiver } from '@pts/testing/receiver';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { merchantOf } from '../support/merchant.ts';
import { realNumbers } from '../support/numbers.ts';
import { runAdmin } from '../support/process.ts';
import { type Service, startFastService } from '../support/service.ts';
import { axeFaults, isTooWide } from './support/axe.ts';
import { type Look, launchBrowser, openPage, type WatchedPage } from './support/browser.ts';

/** What the first view may weigh, as sent. */
const FIRST_VIEW_BYTES = 120 * 1024;
const PHONE = { width: 390, height: 844 };

let service: Service;
let close: () => Promise<void>;
let browser: Browser;
beforeAll(async () => {
  [{ service, close }, browser] = await Promise.all([startFastService('console', undefined), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await close?.();
});

const opened: WatchedPage[] = [];
/** No page may do what the console must never do: ask another origin, break its own policy, throw, or show the key. */
afterEach(async () => {
  const faults = await Promise.all(opened.map((one) => one.faults()));
  await Promise.all(opened.splice(0).map(({ context }) => context.close()));
  expect(faults.flat()).toEqual([]);
});

const address = (path: string) => `${service.ready.base_url}/console${path}`;

/** The rows of a list, not those of the navigation. */
const rowsOf = (page: Page) => page.getByRole('main').getByRole('listitem');

/** A page of the console, signed in unless the look says otherwise. */
async function open(
  path: string,
  look: Look & { signedOut?: boolean; before?(context: BrowserContext): Promise<void> } = {},
) {
  const { signedOut = false, before, ...more } = look;
  const watched = await openPage(browser, service.ready.base_url, {
    ...(signedOut ? {} : { apiKey: service.ready.api_key }),
    ...more,
  });
  opened.push(watched);
  await before?.(watched.context);
  await watched.page.goto(address(path));
  return watched;
}

describe('a key', () => {
  test('signs in, stays in the tab alone, and leads to the page that was asked for', async () => {
    const { page, context } = await open('/shipments', { signedOut: true });
    const field = page.getByLabel('API key', { exact: true });
    await field.fill(`tk_${'0'.repeat(48)}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The API key is invalid').waitFor();
    await field.fill(service.ready.api_key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Shipments' }).waitFor();
    expect(page.url()).toBe(address('/shipments'));
    expect(await context.cookies()).toEqual([]);
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('tk_');
    await page.getByRole('button', { name: 'demo' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await field.waitFor();
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('tk_');
  });

  test('that is revoked leads back to the sign-in, with the reason', async () => {
    const { database_url: DATABASE_URL } = service.ready;
    const { account_id } = await merchantOf(service).client.auth.me();
    const created = await runAdmin(['keys', 'create', account_id, '--json'], { DATABASE_URL });
    const { key } = JSON.parse(created.output) as { key: { id: string; api_key: string } };
    const { page } = await open('/shipments', { apiKey: key.api_key });
    await page.getByRole('heading', { name: 'Shipments' }).waitFor();
    await runAdmin(['keys', 'revoke', key.id], { DATABASE_URL });
    await page.getByText('You were signed out.').waitFor();
    await page.getByText('The API key is invalid').waitFor();
  });
});

describe('parcels', () => {
  test('are registered after a look at their cost, and one arrives before the eyes of the reader', async () => {
    const { page } = await open('/shipments/add');
    await page.getByLabel('Tracking numbers').fill('SBXEXPRESS71\nSBXNOTFOUND72\nSF1234567890123\nx');
    await page.getByText('Costs 2 units of quota.').waitFor();
    await page.getByText('1 number cannot be registered.').waitFor();
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('2 parcels are registered.').waitFor();
    await page.getByRole('link', { name: 'Shipments', exact: true }).click();
    const row = rowsOf(page).filter({ hasText: 'SBXEXPRESS71' });
    await row.getByText('Delivered', { exact: true }).waitFor();
    await row.getByRole('link', { name: 'SBXEXPRESS71' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('Out for delivery').first().waitFor();
    expect(new URL(page.url()).searchParams.get('open')).toMatch(/^[0-9a-f]{24}$/);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
  });

  test('have a page: history, explanation, record, corrections; stopping one can be undone', async () => {
    const { id } = await merchantOf(service).register('SBXORDINARY73');
    const { page } = await open(`/shipments/${id}`);
    await page.getByRole('heading', { name: 'SBXORDINARY73' }).waitFor();
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByRole('heading', { name: 'How it is watched' }).waitFor();
    await page.getByRole('button', { name: 'Raw' }).click();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`/api/v1/trackings/${id}`);
    expect(copied).not.toContain(service.ready.api_key);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Title').fill('Blue jacket');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Blue jacket', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop tracking' }).click();
    await page.getByRole('heading', { name: 'Shipments' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'SBXORDINARY73' }).waitFor();
    expect((await merchantOf(service).client.trackings.one(id)).title).toBe('Blue jacket');
  });

  test('are listed without an end; Back returns to the same place, and the address keeps the filter', async () => {
    const { client } = merchantOf(service);
    const numbers = realNumbers(200).map(({ number }) => ({ tracking_number: number, phone: '5678' }));
    for (let at = 0; at < numbers.length; at += 40) await client.trackings.batch(numbers.slice(at, at + 40));
    const { page } = await open('/shipments', PHONE);
    await rowsOf(page).first().waitFor();
    const height = () => page.evaluate(() => document.documentElement.scrollHeight);
    const first = await height();
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await eventually(async () => expect(await height()).toBeGreaterThan(first));
    expect(await rowsOf(page).count()).toBeLessThan(80);
    const scrolled = () => page.evaluate(() => Math.round(window.scrollY));
    const place = await scrolled();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    await page.goBack();
    await eventually(async () => expect(await scrolled()).toBe(place));
    await page.getByLabel('Status').selectOption({ label: 'Expired' });
    await page.getByText('No parcel has the status “Expired”.').waitFor();
    expect(new URL(page.url()).searchParams.get('status')).toBe('expired');
    await page.reload();
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await rowsOf(page).first().waitFor();
  });

  test('are found, opened, selected and left by keyboard alone', async () => {
    const { client } = merchantOf(service);
    await client.trackings.batch(['SBXNOTFOUND81', 'SBXNOTFOUND82']);
    const { page } = await open('/', { signedOut: true });
    await page.keyboard.type(service.ready.api_key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('sbx-notfound 81');
    await page.getByRole('dialog').getByRole('link', { name: 'SBXNOTFOUND81' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'SBXNOTFOUND81' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    for (let presses = 0; presses < 10; presses++) {
      await page.keyboard.press('Shift+Tab');
      if (await page.evaluate(() => document.activeElement?.textContent === 'Shipments')) break;
    }
    await page.keyboard.press('Enter');
    await rowsOf(page).first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('1 parcel selected').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('heading').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await page.evaluate(() => document.activeElement?.matches('[data-row]'))).toBe(true);
  });
});

describe('webhooks', () => {
  test('a broken receiver is seen, checked, repaired and caught up', async () => {
    let status = 500;
    const receiver = await startReceiver({ respond: () => ({ status, body: 'no space left' }) });
    try {
      const { page } = await open('/webhooks');
      await page.getByRole('button', { name: 'Add an endpoint' }).first().click();
      await page.getByLabel('Address').fill(receiver.url);
      await page.getByRole('dialog').getByRole('button', { name: 'Add an endpoint' }).click();
      await page.getByText(/whsec_/).waitFor();
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await merchantOf(service).register('SBXEXPRESS91');
      const endpoint = rowsOf(page).filter({ hasText: receiver.url });
      await endpoint.getByText('Failing').waitFor();
      await endpoint.getByRole('link').click();
      await page.getByRole('button', { name: 'tracking_update' }).first().click();
      const drawer = page.getByRole('dialog');
      await drawer.getByText('no space left').waitFor();
      await drawer.getByText('First byte').waitFor();
      status = 200;
      const before = receiver.requests.length;
      await drawer.getByRole('button', { name: 'Send again' }).click();
      await page.getByText('It is being sent again.').waitFor();
      await page.keyboard.press('Escape');
      await page.getByText('Healthy').waitFor();
      expect(receiver.requests.length).toBeGreaterThan(before);
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await page.getByRole('button', { name: 'Check the verification' }).click();
      await page.getByText('Not all four are as they should be.').waitFor();
      await page.getByRole('button', { name: 'Replay', exact: true }).click();
      await page.getByRole('button', { name: 'Send again' }).click();
      await page.getByText('Done', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Settings', exact: true }).click();
      await page.getByRole('button', { name: 'Remove the endpoint' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove the endpoint' }).click();
      await page.getByText('The endpoint is removed.').waitFor();
    } finally {
      await receiver.close();
    }
  });
});

describe('trouble', () => {
  test('without the service, what is shown stays, with its time, and comes back by itself', async () => {
    const { page, context } = await open('/shipments');
    await rowsOf(page).first().waitFor();
    await context.setOffline(true);
    await page.getByText('The service does not answer.').waitFor();
    expect(await rowsOf(page).count()).toBeGreaterThan(0);
    await context.setOffline(false);
    await page.getByText('The service does not answer.').waitFor({ state: 'hidden' });
  });

  test('an error has its request id; too many requests say until when', async () => {
    const { page } = await open('/webhooks');
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    await page.route('**/api/v1/shipments*', (route) => route.fulfill(answer(400, { 'X-Request-Id': 'request-77' })));
    await page.getByRole('link', { name: 'Shipments' }).click();
    await page.getByRole('code').filter({ hasText: 'request-77' }).waitFor();
    await page.unroute('**/api/v1/shipments*');
    await page.route('**/api/v1/shipments*', (route) => route.fulfill(answer(429, { 'Retry-After': '30' })));
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Too many requests for now.').waitFor();
    await page.getByText('Next try at').waitFor();
    await page.unroute('**/api/v1/shipments*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await rowsOf(page).first().waitFor();
  });

  test('a part that is gone with its build offers the newer one, whose reload keeps the place', async () => {
    const { page } = await open('/shipments?status=delivered', {
      before: async (context) => {
        await context.route('**/console/assets/endpoints-*', (route) => route.fulfill({ status: 404 }));
        await context.route('**/console/build.json', (route) => route.fulfill({ json: { script: 'main-NEWER.js' } }));
      },
    });
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('This view could not be shown.').waitFor();
    await page.getByText('There is a newer version of this console.').waitFor();
    await page.context().unrouteAll();
    await page.getByRole('button', { name: 'Reload (nothing is lost)' }).click();
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
  });
});

describe('every view', () => {
  test('the first one is light', async () => {
    const { page } = await open('/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const bytes = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.includes('/console/assets/'))
        .map((entry) => (entry as PerformanceResourceTiming).encodedBodySize),
    );
    expect(bytes.length).toBeGreaterThan(2);
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(FIRST_VIEW_BYTES);
  });

  test.each<[string, Look]>([
    ['wide, light, English', {}],
    ['wide, dark, Chinese', { theme: 'dark', language: 'zh-CN' }],
    ['on a phone, light, Chinese', { ...PHONE, language: 'zh-CN' }],
    ['on a phone, dark, English', { ...PHONE, theme: 'dark' }],
  ])('%s: axe finds nothing, and nothing is too wide', async (_name, look) => {
    const { client } = merchantOf(service);
    const receiver = await startReceiver();
    const webhook = await client.webhooks.register({ url: receiver.url, events: ['tracking_update'] });
    const { id } = await merchantOf(service).register('SBXEXPRESS71');
    try {
      await client.webhooks.test(webhook.id);
      const [attempt] = (await client.webhooks.deliveries({ webhook_id: webhook.id })).items;
      const { page } = await open('/', { ...look, signedOut: true });
      const faults: Record<string, string[]> = {};
      const check = async (name: string) => {
        await page.locator('h1').first().waitFor();
        await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
        const found = await axeFaults(page);
        if (await isTooWide(page)) found.push('wider than the window');
        if (found.length > 0) faults[name] = found;
      };
      await check('sign-in');
      await page.locator('input[name=key]').fill(service.ready.api_key);
      await page.keyboard.press('Enter');
      await page.locator('main h1').waitFor();
      for (const path of [
        '/',
        '/shipments',
        '/shipments?status=expired',
        '/shipments/add?numbers=SBXEXPRESS71,SBXEXPRESS99,1',
        `/shipments?open=${id}`,
        `/shipments/${id}`,
        `/shipments/${id}?tab=explain`,
        `/shipments/${id}?tab=raw`,
        '/webhooks',
        '/webhooks?add=1',
        `/webhooks/${webhook.id}`,
        `/webhooks/${webhook.id}?attempt=${attempt?.id}`,
        `/webhooks/${webhook.id}?tab=test`,
        `/webhooks/${webhook.id}?tab=replay`,
        `/webhooks/${webhook.id}?tab=settings`,
        '/nothing',
      ]) {
        await page.goto(address(path));
        await check(path);
      }
      await page.keyboard.press('?');
      await check('help');
      expect(faults).toEqual({});
      expect(await page.locator('html').getAttribute('lang')).toBe(look.language ?? 'en');
    } finally {
      await client.webhooks.delete(webhook.id);
      await receiver.close();
    }
  });
});

function answer(status: number, headers: Record<string, string>) {
  const body = JSON.stringify({ code: status, meta: status, message: 'Refused for the test.', data: {} });
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body };
}
