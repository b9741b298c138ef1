import { ERRORS } from '@pts/core/errors';
import { eventually } from '@pts/testing/eventually';
import type { Page, Request } from 'playwright-core';
import { GUIDES } from '../../../apps/portal/src/main.ts';
import { OPERATIONS } from '../../../apps/portal/src/reference/reference.ts';
import { addressOf } from '../../../apps/portal/src/site/page.ts';
import { newMerchant } from '../../support/merchant.ts';
import { axeFaults, isTooWide } from '../support/axe.ts';
import type { Console } from '../support/console.ts';
import { vanishes } from '../support/forced-colours.ts';

/** What the first page may weigh, as sent. */
const FIRST_PAGE_BYTES = 120 * 1024;

/** Of each kind of page, one. */
const KINDS = [
  '/docs',
  '/docs/receivers',
  '/docs/reference/listShipments',
  '/docs/events/tracking_update',
  '/docs/errors/4113',
  '/docs/404',
  '/docs/zh/quickstart',
  '/docs/zh/reference/createTracking',
];
/** What a text alone may break, whatever kind of page it is on. */
const OF_TEXTS = ['heading-order', 'empty-heading', 'link-name', 'link-in-text-block', 'scrollable-region-focusable'];
const GUIDE_PATHS = GUIDES.flatMap(({ guides }) => guides.map(({ path }) => path));
const GENERATED = [
  ...OPERATIONS.map(({ id }) => `reference/${id}`),
  ...Object.values(ERRORS).map(({ number }) => `errors/${number}`),
];

/** Guides, the reference and errors, for developers who have a key or none. */
export function portalStories(at: () => Console): void {
  // Of its own: the console's pages have streams, whose number is limited.
  let merchant: Awaited<ReturnType<typeof newMerchant>>;
  beforeAll(async () => {
    merchant = await newMerchant(at().service);
  });
  const address = (path: string) => `${at().service.ready.base_url}${path}`;

  test('axe finds nothing in any kind of page, light and dark, and every page fits a narrow phone', async () => {
    const page = await at().visit('/docs', { width: 360, height: 780 });
    const faults: Record<string, string[]> = {};
    for (const path of KINDS) {
      await page.goto(address(path));
      if (await isTooWide(page)) faults[path] = ['too wide'];
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const found = await axeFaults(page);
        if (found.length > 0) faults[`${path}, ${colorScheme}`] = found;
      }
      await page.setViewportSize({ width: 1280, height: 800 });
      const found = await axeFaults(page, [...OF_TEXTS, 'target-size']);
      if (found.length > 0) faults[`${path}, wide`] = found;
      await page.setViewportSize({ width: 360, height: 780 });
    }
    for (const path of [...GUIDE_PATHS, ...GENERATED].map((one) => addressOf(one, 'en'))) {
      await page.goto(address(path));
      const found = (await isTooWide(page)) ? ['too wide'] : [];
      if (!/reference|errors\/\d/.test(path)) found.push(...(await axeFaults(page, OF_TEXTS)));
      if (found.length > 0) faults[path] = found;
    }
    expect(faults).toEqual({});
  }, 1_200_000);

  test('axe finds nothing in the menu of a phone, the search and an answer, light and dark', async () => {
    const page = await at().visit('/docs/reference/getMe', { width: 390, height: 844 });
    const faults = async () => {
      const light = await axeFaults(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      const dark = await axeFaults(page, ['color-contrast']);
      await page.emulateMedia({ colorScheme: 'light' });
      return [...light, ...dark];
    };
    await page.getByRole('link', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Close the menu' }).waitFor();
    expect(await faults()).toEqual([]);
    await page.getByRole('link', { name: 'Close the menu' }).click();
    await page.keyboard.press('/');
    await page.getByRole('searchbox').fill('signature');
    await page.getByRole('dialog').getByRole('link').first().waitFor();
    expect(await faults()).toEqual([]);
    // The first one empties the field.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await openForm(page);
    await page.getByLabel('API key').fill(merchant.apiKey);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('status').filter({ hasText: /^200/ }).waitFor();
    await page.locator('[data-answer]').filter({ hasText: 'account_id' }).waitFor();
    expect([await faults(), await isTooWide(page)]).toEqual([[], false]);
  });

  test.each(['/docs', '/docs/zh', '/docs/changelog', '/docs/reference/streamBatch'])(
    'as the first page, %s is light, and does not load the search',
    async (path) => {
      const loaded: Request[] = [];
      const page = await at().visit(path, {
        before: async (context) => void context.on('requestfinished', (request) => loaded.push(request)),
      });
      await page.waitForLoadState('networkidle');
      const sizes = await Promise.all(loaded.map((request) => request.sizes()));
      const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
      expect(bytes).toBeGreaterThan(2000);
      expect(bytes).toBeLessThan(FIRST_PAGE_BYTES);
      expect(loaded.map((request) => request.url()).filter((one) => one.includes('search'))).toEqual([]);
    },
  );

  describe('the search', () => {
    test('says that its index could not be loaded, and loads it again', async () => {
      const page = await at().visit('/docs');
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
      await dialog.getByRole('searchbox').fill('signature');
      await dialog.getByRole('link').filter({ hasText: 'Webhooks' }).first().waitFor();
    });

    test.each([
      ['zh-CN', '/docs/zh', '签名', 'Webhook 推送'],
      ['en', '/docs', 'retrack', 'retrack_too_soon'],
      ['en', '/docs', 'webhok', 'webhook'],
      ['zh-CN', '/docs/zh', '推送纪录', '列出推送记录'],
    ] as const)('in %s finds what is asked for: %s %s', async (language, path, query, title) => {
      const page = await at().visit(path, { language });
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
    const { id } = await merchant.register('SBXORDINARY81');
    const page = await at().visit('/docs/reference/getTracking');
    await openForm(page);
    await page.getByLabel('API key').fill(merchant.apiKey);
    await page.getByLabel('id', { exact: true }).fill(id);
    await page.getByRole('button', { name: 'Send' }).click();
    await page
      .getByRole('status')
      .filter({ hasText: /^200 · \d+ ms$/ })
      .waitFor();
    // It arrives after its status.
    await page.locator('[data-answer]').filter({ hasText: 'SBXORDINARY81' }).waitFor();
    expect(await page.locator('[data-request]').textContent()).not.toContain(merchant.apiKey);
    await page.goto(address('/docs/reference/getAccount'));
    await openForm(page);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('status').filter({ hasText: /^200/ }).waitFor();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('tk_');
  });

  test('with all cookies blocked, the theme is switched and an operation is tried', async () => {
    const page = await at().visit('/docs');
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
    await openForm(page);
    await page.getByLabel('API key').fill(merchant.apiKey);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('status').filter({ hasText: /^200/ }).waitFor();
  });

  test('a stream is followed until the next request, which can be stopped as well', async () => {
    const page = await at().visit('/docs/reference/streamEvents');
    await openForm(page);
    await page.getByLabel('API key').fill(merchant.apiKey);
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
    const page = await at().visit('/docs/reference/getAccount');
    await page.route('**/api/v1/account', (route) => route.fulfill({ json: { long: 'x'.repeat(150_000) } }));
    await openForm(page);
    await page.getByLabel('API key').fill(merchant.apiKey);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('[data-answer]').filter({ hasText: /x\s…$/ }).waitFor();
  });

  test('samples are in the language chosen last, name this service, and can be copied', async () => {
    const page = await at().visit('/docs/reference/createTracking');
    await page.getByText('Python', { exact: true }).click();
    await page.goto(address('/docs/reference/getAccount'));
    const sample = page.locator('.panel', { hasText: 'import requests' });
    await sample.waitFor();
    const label = page.locator('.choices label', { hasText: 'Python' });
    expect(await vanishes(label, 'background-color')).toBe(false);
    await sample.getByRole('button', { name: 'Copy' }).click();
    await sample.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`url = "${at().service.ready.base_url}/api/v1/account"`);

    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new DOMException('Not now.', 'NotAllowedError'));
    });
    await sample.getByRole('button', { name: 'Copied' }).click();
    await sample.getByRole('button', { name: 'Not copied: select it and copy it yourself' }).waitFor();
  });

  test('what is copied from a guide names this service', async () => {
    const page = await at().visit('/docs');
    for (const path of ['/docs/cli', '/docs/zh/cli', '/docs/agents']) {
      await page.goto(address(path));
      const codes = (await page.locator('article code').allTextContents()).join('\n');
      expect(codes).toContain(at().service.ready.base_url);
      expect(codes).not.toContain('api.example.com');
    }
  });

  test('what is copied has the test key of a reader who is signed in with one, and no live key', async () => {
    const page = await at().visit('/docs');
    const codesWith = async (key: string, path: string) => {
      await page.evaluate((value) => sessionStorage.setItem('pts.api-key', value), key);
      await page.goto(address(path));
      return (await page.locator('.code code').allTextContents()).join('\n');
    };
    const [test, live] = [`tk_test_${'1'.repeat(48)}`, `tk_${'2'.repeat(48)}`];
    for (const path of ['/docs/reference/getAccount', '/docs/first-push', '/docs/quickstart'])
      expect([await codesWith(test, path), await codesWith(live, path)]).toEqual([
        expect.stringContaining(test),
        expect.not.stringContaining(live),
      ]);
  });

  test('a tab of the console hands its test key over to the portal, and takes it back at the sign-out', async () => {
    const page = await at().visit('/docs');
    const key = `tk_test_${'3'.repeat(48)}`;
    await page.evaluate((apiKey) => {
      const tabs = new BroadcastChannel('pts.session');
      tabs.onmessage = ({ data }) => {
        if (data.kind === 'asks') tabs.postMessage({ kind: 'has', keys: { apiKey, liveKey: null } });
      };
    }, key);
    const other = await page.context().newPage();
    await other.goto(address('/docs/reference/getMe'));
    await openForm(other);
    await eventually(async () => expect(await other.getByLabel('API key').inputValue()).toBe(key));
    await other.getByText('Your test key').waitFor();
    expect(await other.locator('.panel').first().textContent()).toContain(key);
    await page.evaluate(() => new BroadcastChannel('pts.session').postMessage({ kind: 'ended' }));
    await eventually(async () => expect(await other.evaluate(() => sessionStorage.getItem('pts.api-key'))).toBeNull());
  });

  test('samples stay beside a text that is scrolled, and fields of objects and errors open', async () => {
    const page = await at().visit('/docs/reference/listShipments');
    const column = page.getByRole('complementary', { name: 'Samples' });
    const before = await column.boundingBox();
    const errors = page.getByRole('heading', { name: 'Errors' });
    await errors.scrollIntoViewIfNeeded();
    expect((await column.boundingBox())?.y).toBeLessThanOrEqual(before?.y ?? 0);
    expect(await column.getByText('Request', { exact: true }).first().isVisible()).toBe(true);
    const field = page.locator('main').getByText('tracking_number', { exact: true }).first();
    expect(await field.isVisible()).toBe(false);
    await page
      .getByText(/^Fields \(\d+\)$/)
      .first()
      .click();
    await field.waitFor();
    await page.getByText(/^Errors of every operation/).click();
    await page.locator('main summary', { hasText: '429' }).click();
    await page.getByRole('link', { name: 'too_many_requests' }).first().waitFor();
  });

  test('can be read without a script: navigation, samples and the menu of a phone', async () => {
    const page = await at().visit('/docs/reference/createTracking', { withoutScripts: true, width: 360, height: 780 });
    await page.getByText('Go', { exact: true }).click();
    await page.getByText('http.NewRequest').waitFor();
    await page.getByRole('link', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Quickstart' }).click();
    await page.getByRole('heading', { level: 1, name: 'Quickstart for merchants' }).waitFor();
    expect(await page.getByRole('button', { name: 'Search' }).isVisible()).toBe(false);
  });

  test('links into the former reference lead to the page of the operation', async () => {
    const page = await at().visit('/docs#/Trackings/createTracking');
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
}

/** *Try it* is folded. */
async function openForm(page: Page): Promise<void> {
  await page.locator('.try > summary').click();
}
