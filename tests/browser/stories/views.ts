import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Receiver, startReceiver } from '@pts/testing/http-server';
import type { BrowserContext, Page } from 'playwright-core';
import { merchantOf } from '../../support/merchant.ts';
import { axeFaults, cutOff, isTooWide } from '../support/axe.ts';
import { type Console, go, hold, IN_TROUBLE, rowsOf, withEndlessMoments } from '../support/console.ts';
import { ordersFile } from '../support/orders-file.ts';

/** What the first view may weigh, as sent. */
const FIRST_VIEW_BYTES = 160 * 1024;

/** What depends on sizes; the structure is the same in every look, and so are colours. */
const LOOKS_RULES = ['target-size'];
const CONTRAST = 'color-contrast';
/** A window of 1280 pixels at 200 %, and the narrowest one. */
const ZOOMED = { width: 640, height: 400 };
const NARROWEST = { width: 320, height: 640 };
const TABLET = { width: 768, height: 1024 };
const WIDE = { width: 1280, height: 800 };
const HANDHELD = { width: 390, height: 844 };
const LOOKS = [
  { screen: 'wide', size: WIDE, others: [ZOOMED, TABLET], rules: undefined },
  { screen: 'handheld', size: HANDHELD, others: [NARROWEST], rules: LOOKS_RULES },
];
/** As long as a number may be. */
const LONGEST = `SBXEXPRESS${'7'.repeat(40)}`;
/** Where a picture of each faulty view is. */
const ARTEFACTS = resolve(import.meta.dirname, '../../../.cache/artefacts');

/** All views in both themes and languages on five screens: axe looks at the English ones. */
export function viewStories(at: () => Console): void {
  test('the first one is light', async () => {
    // The other views are loaded two seconds later.
    const { page } = await at().open('/', { before: withEndlessMoments });
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

  test('the page names every file of the first one: none is found only in another', async () => {
    const textOf = async (path: string) => (await fetch(at().address(path))).text();
    const named = [...(await textOf('/')).matchAll(/assets\/([\w-]+\.js)/g)].map(([, name = '']) => name);
    expect(named).toContainEqual(expect.stringMatching(/^overview-/));
    const texts = await Promise.all(named.map((name) => textOf(`/assets/${name}`)));
    const needed = texts.flatMap((text) => [...text.matchAll(/\bfrom"\.\/([\w-]+\.js)"/g)].map(([, name]) => name));
    expect(named).toEqual(expect.arrayContaining(needed));
  });

  test('one that has to be loaded is shown as soon as it is there: it waits for no clock', async () => {
    const { back, release } = hold();
    const { page } = await at().open('/webhooks', {
      before: async (context) => {
        await context.clock.install();
        await back(context, /console\/assets\/keys-/);
      },
    });
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    // Later than the page has got by then, however slow the machine is.
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('main').getByText('Loading…').waitFor({ state: 'attached' });
    release();
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
  });

  test('the parts of the overview appear together: none moves another', async () => {
    const { back, release } = hold();
    const { page } = await at().open('/', {
      before: (context) => back(context, '**/api/v1/attention'),
    });
    const attention = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Needs attention' }) });
    await page
      .getByRole('link', { name: /Active parcels/ })
      .getByText(/^\d+$/)
      .waitFor();
    await attention.getByText('Loading…').waitFor({ state: 'attached' });
    expect(await attention.getByRole('listitem').count()).toBe(0);
    release();
    await attention.getByRole('listitem').first().waitFor();
    await page.getByText('Loading…').first().waitFor({ state: 'detached' });
  });

  test('Back leaves the search or the help that is over a view', async () => {
    const { page } = await at().open('/webhooks');
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('dialog').waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('the figure of active parcels leads to them, and the number of each status to its own', async () => {
    const late = async (context: BrowserContext) =>
      context.route('**/api/v1/stats?*', async (route) => {
        const { data, ...envelope } = await (await route.fetch()).json();
        await route.fulfill({ json: { ...envelope, data: { ...data, up_to_date: false } } });
      });
    const { page } = await at().open('/', { before: late });
    await page.getByText('Recent changes are still being counted').waitFor();
    await page.getByRole('link', { name: /Active parcels/ }).click();
    await page.getByRole('button', { name: 'Active remove' }).waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: /^\d+ match(es)?$/ })
      .waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('link', { name: /^Exception [1-9]\d*$/ }).click();
    await rowsOf(page).filter({ hasText: IN_TROUBLE }).waitFor();
    expect(new URL(page.url()).searchParams.get('status')).toBe('exception');
  });

  describe('in every look', () => {
    let receiver: Receiver;
    let paths: string[];
    beforeAll(async () => {
      const { client, register } = merchantOf(at().service);
      receiver = await startReceiver();
      const webhook = await client.webhooks.register({ url: receiver.url, events: ['tracking_update'] });
      const [{ id }] = await Promise.all([register(LONGEST), client.webhooks.test(webhook.id)]);
      const { id: imported } = await client.imports.start({ content: ordersFile(3), dry_run: true });
      const [attempt] = (await client.webhooks.deliveries({ webhook_id: webhook.id })).items;
      paths = pathsOf({ id, imported, webhook: webhook.id, attempt: attempt?.id ?? '' });
      rmSync(ARTEFACTS, { recursive: true, force: true });
      mkdirSync(ARTEFACTS, { recursive: true });
    });
    afterAll(() => receiver?.close());

    test.each(['en', 'zh-CN'] as const)(
      '%s: axe finds nothing, everything fits, and a handheld cuts off no text',
      async (language) => {
        const { service, open, address } = at();
        const { page } = await open('/', { ...WIDE, language, signedOut: true });
        const faults: Record<string, string[]> = {};
        const check = async (name: string) => {
          for (const look of LOOKS) {
            await page.setViewportSize(look.size);
            await isRead(page);
            const found = language === 'en' ? await axeFaultsOf(page, look.rules) : await englishOf(page);
            if (look.size === HANDHELD) found.push(...(await cutOff(page)));
            found.push(...(await tooWide(page, [...look.others, look.size])));
            if (found.length === 0) continue;
            const file = `${language}-${look.screen}-${name}`;
            faults[file] = found;
            await page.screenshot({ path: join(ARTEFACTS, `${file.replaceAll(/\W+/g, '-')}.png`) });
          }
        };
        await check('sign-in');
        await page.locator('input[name=key]').fill(service.ready.api_key);
        await page.keyboard.press('Enter');
        // The page before it has a heading, too.
        await page.getByRole('navigation').first().waitFor();
        for (const path of paths) {
          await go(page, address(path));
          await check(path.replaceAll(/[0-9a-f]{24}|(?<=attempt=)\w+/g, 'id'));
        }
        await page.keyboard.press('?');
        await check('help');
        expect(faults).toEqual({});
        expect(await page.locator('html').getAttribute('lang')).toBe(language);
      },
      1_200_000,
    );
  });
}

/** Waits until all that the view has to read is there. */
async function isRead(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
}

/** What axe finds in the view that is shown; colours in both themes, but once. */
async function axeFaultsOf(page: Page, rules: string[] | undefined): Promise<string[]> {
  const found = await axeFaults(page, rules);
  if (rules !== undefined) return found;
  await page.emulateMedia({ colorScheme: 'dark' });
  found.push(...(await axeFaults(page, [CONTRAST])).map((fault) => `dark: ${fault}`));
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

/** The windows of these sizes that are narrower than the view. */
async function tooWide(page: Page, sizes: readonly { width: number; height: number }[]): Promise<string[]> {
  const found: string[] = [];
  for (const size of sizes) {
    await page.setViewportSize(size);
    if (await isTooWide(page)) found.push(`wider than ${size.width}`);
  }
  return found;
}

/**
 * What the service says and the console shows in English: carriers' texts, which stay as they are, have a direction.
 */
async function englishOf(page: Page): Promise<string[]> {
  const texts = await page.locator('main :is(span, strong, p)[lang=en]:not([dir])').allTextContents();
  return texts.map((text) => `in English: ${text}`);
}

function pathsOf(ids: { id: string; imported: string; webhook: string; attempt: string }): string[] {
  const { id, imported, webhook, attempt } = ids;
  return [
    '/',
    '/shipments',
    '/shipments?status=expired',
    '/shipments?needs_attention=true&created=7d&q=SBX',
    '/shipments/add?numbers=SBXEXPRESS71,SBXEXPRESS99,1',
    `/shipments?open=${id}`,
    `/shipments/${id}`,
    ...['events', 'explain', 'raw'].map((tab) => `/shipments/${id}?tab=${tab}`),
    `/shipments/${id}?edit=1`,
    '/webhooks',
    '/webhooks?add=1',
    '/webhooks?tab=deliveries',
    `/webhooks?tab=deliveries&attempt=${attempt}`,
    ...['test', 'replay', 'settings'].map((tab) => `/webhooks/${webhook}?tab=${tab}`),
    '/imports',
    `/imports/${imported}`,
    '/keys',
    '/keys?create=1',
    '/people',
    '/people?add=1',
    '/people?tab=audit',
    '/settings',
    '/nothing',
  ];
}
