import { ERRORS } from '@pts/core/errors';
import { eventually } from '@pts/testing/eventually';
import type { Browser, Page, Request } from 'playwright-core';
import { OPERATIONS } from '../../apps/portal/src/reference/operations.ts';
import { addressOf } from '../../apps/portal/src/site/address.ts';
import { GUIDES } from '../../apps/portal/src/site/guides.ts';
import { LANGUAGES } from '../../apps/portal/src/site/language.ts';
import { merchantOf } from '../support/merchant.ts';
import { type Service, startFastService } from '../support/service.ts';
import { axeFaults, isTooWide } from './support/axe.ts';
import { type Look, launchBrowser, openPage, type WatchedPage } from './support/browser.ts';
import { vanishes } from './support/forced-colours.ts';

/** What the first page may weigh, as sent. */
const FIRST_PAGE_BYTES = 120 * 1024;

let service: Service;
let close: () => Promise<void>;
let browser: Browser;
beforeAll(async () => {
  [{ service, close }, browser] = await Promise.all([startFastService('portal', undefined), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await close?.();
});

const opened: WatchedPage[] = [];
/** No page may ask another origin, break its own policy, throw, or show the key in an address. */
afterEach(async () => {
  const faults = await Promise.all(opened.map((one) => one.faults()));
  await Promise.all(opened.splice(0).map(({ context }) => context.close()));
  expect(faults.flat()).toEqual([]);
});

const address = (path: string) => `${service.ready.base_url}${path}`;

async function open(path: string, look: Look = {}): Promise<Page> {
  const watched = await openPage(browser, service.ready.base_url, look);
  opened.push(watched);
  await watched.page.goto(address(path));
  return watched.page;
}

const GUIDE_PATHS = GUIDES.flatMap(({ guides }) => guides.map(({ path }) => path));
const OTHERS = ['reference/listShipments', 'reference/createTracking', 'reference/streamBatch', 'errors/4113', '404'];
const PAGES = [
  ...GUIDE_PATHS.map((path) => addressOf(path, 'en')),
  ...LANGUAGES.flatMap((language) => OTHERS.map((path) => addressOf(path, language))),
];
/** Of each kind of page, also in the other colours and at other widths. */
const KINDS = ['/docs', '/docs/receivers', '/docs/reference/listShipments', '/docs/errors/4113', '/docs/zh/quickstart'];

test('axe finds nothing in any guide, and in no other kind of page in either language; they fit a narrow phone', async () => {
  const page = await open('/docs', { width: 360, height: 780 });
  const faults: Record<string, string[]> = {};
  const look = async (name: string) => {
    const found = [...((await isTooWide(page)) ? ['too wide'] : []), ...(await axeFaults(page))];
    if (found.length > 0) faults[name] = found;
  };
  for (const path of PAGES) {
    await page.goto(address(path));
    await look(path);
  }
  for (const path of KINDS) {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(address(path));
    await look(`${path}, dark`);
    await page.setViewportSize({ width: 1280, height: 800 });
    await look(`${path}, dark and wide`);
  }
  expect(faults).toEqual({});
});

test('every guide, and the page of every operation and every error, fits a narrow phone, in both languages', async () => {
  const page = await open('/docs', { width: 360, height: 780 });
  const paths = [
    ...GUIDE_PATHS,
    ...OPERATIONS.map(({ id }) => `reference/${id}`),
    ...Object.values(ERRORS).map(({ number }) => `errors/${number}`),
  ];
  const tooWide: string[] = [];
  for (const path of LANGUAGES.flatMap((language) => paths.map((one) => addressOf(one, language)))) {
    await page.goto(address(path));
    if (await isTooWide(page)) tooWide.push(path);
  }
  expect(tooWide).toEqual([]);
});

test.each(['light', 'dark'] as const)(
  'axe finds nothing in the menu of a phone, the search and an answer, %s',
  async (theme) => {
    const page = await open('/docs/reference/getMe', { width: 390, height: 844, theme });
    await page.getByRole('link', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Close the menu' }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'Close the menu' }).click();
    await page.keyboard.press('/');
    await page.getByRole('searchbox').fill('signature');
    await page.getByRole('dialog').getByRole('link').first().waitFor();
    expect(await axeFaults(page)).toEqual([]);
    // The first one empties the field.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByLabel('API key').fill(service.ready.api_key);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('status').filter({ hasText: /^200/ }).waitFor();
    await page.locator('[data-answer]').filter({ hasText: 'account_id' }).waitFor();
    expect([await axeFaults(page), await isTooWide(page)]).toEqual([[], false]);
  },
);

test.each(['/docs', '/docs/zh', '/docs/changelog', '/docs/reference/streamBatch'])(
  'as the first page, %s is light, and does not load the search',
  async (path) => {
    const watched = await openPage(browser, service.ready.base_url);
    opened.push(watched);
    const { page } = watched;
    const loaded: Request[] = [];
    page.on('requestfinished', (request) => loaded.push(request));
    await page.goto(address(path), { waitUntil: 'networkidle' });
    const sizes = await Promise.all(loaded.map((request) => request.sizes()));
    const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
    expect(bytes).toBeGreaterThan(2000);
    expect(bytes).toBeLessThan(FIRST_PAGE_BYTES);
    expect(loaded.map((request) => request.url()).filter((one) => one.includes('search'))).toEqual([]);
  },
);

describe('the search', () => {
  test('says that its index could not be loaded, and loads it again', async () => {
    const page = await open('/docs');
    const index = await page.evaluate(() => document.documentElement.dataset.search ?? '');
    const { href } = new URL(index, page.url());
    await page.route(href, (route) => route.fulfill({ status: 503 }));
    await page.keyboard.press('/');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('searchbox').fill('signature');
    await dialog.getByText('The search could not be loaded.').waitFor();
    await page.unroute(href);
    await dialog.getByRole('searchbox').fill('signatures');
    await dialog.getByRole('link').first().waitFor();
  });

  test.each([
    ['en', '/docs', 'signature', 'Webhooks'],
    ['zh-CN', '/docs/zh', '签名', 'Webhook 推送'],
    ['en', '/docs', 'retrack', 'retrack_too_soon'],
  ] as const)('in %s finds what is asked for: %s %s', async (language, path, query, title) => {
    const page = await open(path, { language });
    await page.keyboard.press('/');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('searchbox').fill(query);
    const result = dialog.getByRole('link').filter({ hasText: title }).first();
    await result.waitFor();
    // Enter within an input method chooses characters, not a result, which would close the dialog.
    await dialog.getByRole('searchbox').dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    expect(await dialog.isVisible()).toBe(true);
    await result.click();
    await page.waitForURL((url) => url.href !== address(path));
    await page.getByRole('heading', { level: 1 }).waitFor();
  });
});

test('an operation is tried with a key that stays in the tab', async () => {
  const { id } = await merchantOf(service).register('SBXORDINARY81');
  const page = await open('/docs/reference/getTracking');
  await page.getByLabel('API key').fill(service.ready.api_key);
  await page.getByLabel('id', { exact: true }).fill(id);
  await page.getByRole('button', { name: 'Send' }).click();
  await page
    .getByRole('status')
    .filter({ hasText: /^200 · \d+ ms$/ })
    .waitFor();
  // It arrives after its status.
  await page.locator('[data-answer]').filter({ hasText: 'SBXORDINARY81' }).waitFor();
  expect(await page.locator('[data-request]').textContent()).not.toContain(service.ready.api_key);
  await page.goto(address('/docs/reference/getAccount'));
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('status').filter({ hasText: /^200/ }).waitFor();
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('tk_');
});

test('with all cookies blocked, the theme is switched and an operation is tried', async () => {
  const page = await open('/docs');
  await page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(globalThis, name, {
        get() {
          throw new DOMException('Access is denied for this document.', 'SecurityError');
        },
      });
  });
  await page.goto(address('/docs/reference/getMe'));
  await page.locator('[data-theme-button]').click();
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
  await page.getByLabel('API key').fill(service.ready.api_key);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('status').filter({ hasText: /^200/ }).waitFor();
});

test('a stream is followed until the next request, which can be stopped as well', async () => {
  const page = await open('/docs/reference/streamEvents');
  await page.getByLabel('API key').fill(service.ready.api_key);
  const [send, stop] = ['Send', 'Stop'].map((name) => page.getByRole('button', { name, exact: true }));
  const ended: string[] = [];
  page.on('requestfailed', (request) => ended.push(request.url()));
  await send?.click();
  const status = page.getByRole('status').filter({ hasText: /^200/ });
  await status.waitFor();
  await send?.click();
  await eventually(async () => expect(ended).toHaveLength(1));
  await status.waitFor();
  expect(await stop?.isVisible()).toBe(true);
  await stop?.click();
  await eventually(async () => expect(ended).toHaveLength(2));
  await stop?.waitFor({ state: 'hidden' });
  await page
    .getByRole('status')
    .filter({ hasText: /^200 · stopped · / })
    .waitFor();
  // Before there is an answer.
  await page.route('**/api/v1/events/stream*', () => {});
  await send?.click();
  await page.getByRole('status').filter({ hasText: /^…$/ }).waitFor();
  await stop?.click();
  await page
    .getByRole('status')
    .filter({ hasText: /^stopped · / })
    .waitFor();
});

test('an answer that is too long to be shown is visibly cut off', async () => {
  const page = await open('/docs/reference/getAccount');
  await page.route('**/api/v1/account', (route) => route.fulfill({ json: { long: 'x'.repeat(150_000) } }));
  await page.getByLabel('API key').fill(service.ready.api_key);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('[data-answer]').filter({ hasText: /x\s…$/ }).waitFor();
});

test('samples are in the language chosen last, name this service, and can be copied', async () => {
  const page = await open('/docs/reference/createTracking');
  await page.getByText('Python', { exact: true }).click();
  await page.goto(address('/docs/reference/getAccount'));
  const sample = page.locator('.panel', { hasText: 'import requests' });
  await sample.waitFor();
  const label = page.locator('.choices label', { hasText: 'Python' });
  expect(await vanishes(label, 'background-color')).toBe(false);
  await sample.getByRole('button', { name: 'Copy' }).click();
  await sample.getByRole('button', { name: 'Copied' }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain(`url = "${service.ready.base_url}/api/v1/account"`);

  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('Not now.', 'NotAllowedError'));
  });
  await sample.getByRole('button', { name: 'Copied' }).click();
  await sample.getByRole('button', { name: 'Not copied: select it and copy it yourself' }).waitFor();
});

test.each(['/docs/cli', '/docs/zh/cli', '/docs/agents'])('what is copied from %s names this service', async (path) => {
  const page = await open(path);
  const codes = (await page.locator('article code').allTextContents()).join('\n');
  expect(codes).toContain(service.ready.base_url);
  expect(codes).not.toContain('api.example.com');
});

test('can be read without a script: navigation, samples and the menu of a phone', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 360, height: 780 } });
  const page = await context.newPage();
  await page.goto(address('/docs/reference/createTracking'));
  await page.getByText('Go', { exact: true }).click();
  await page.getByText('http.NewRequest').waitFor();
  await page.getByRole('link', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Quickstart' }).click();
  await page.getByRole('heading', { level: 1, name: 'Quickstart for merchants' }).waitFor();
  expect(await page.getByRole('button', { name: 'Search' }).isVisible()).toBe(false);
  await context.close();
});

test('links into the former reference lead to the page of the operation', async () => {
  const page = await open('/docs#/Trackings/createTracking');
  await page.waitForURL(address('/docs/reference/createTracking'));
});

test('every error has a page at the address that its answers contain', async () => {
  const refused = await fetch(address('/api/v1/account'));
  const { data } = (await refused.json()) as { data: { docs_url: string } };
  expect(data.docs_url).toBe(address('/docs/errors/401'));
  for (const { number } of Object.values(ERRORS)) {
    const page = await fetch(data.docs_url.replace('401', String(number)));
    expect([number, page.status, (await page.text()).includes(`<h1 id="${number}-`)]).toEqual([number, 200, true]);
  }
});
