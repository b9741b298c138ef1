import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { ordersFile } from './orders-file.ts';

/** A picture: where, and what is done before it is taken. */
export type Shot = {
  path: string;
  /** The path is the service's own, not one of the console. */
  isOutside?: boolean;
  signedOut?: boolean;
  /** With a test key. */
  isTest?: boolean;
  /** Taken while it is being read. */
  isLoading?: boolean;
  before?(page: Page): Promise<unknown>;
  act?(page: Page): Promise<unknown>;
};

/** What is in the account when the pictures are taken. */
export type Scene = {
  idOf(story: string): string;
  /** The path of a parcel's page for its buyer. */
  pageOf(story: string): string;
  broken: string;
  healthy: string;
  attempt: string;
  imported: string;
};

const ORDERS = { name: 'orders.csv', mimeType: 'text/csv', buffer: Buffer.from(ordersFile(40, { first: 70_000 })) };
const press = (page: Page, name: RegExp) => page.getByRole('button', { name }).first().click();

/** Of an account that has nothing yet. */
export const EMPTY: Readonly<Record<string, Shot>> = {
  'sign-in': { path: '/', signedOut: true },
  overview: { path: '/' },
  shipments: { path: '/shipments' },
  webhooks: { path: '/webhooks' },
  imports: { path: '/imports' },
  keys: { path: '/keys' },
};

/** Of an account at work. */
export function fullShots({ idOf, pageOf, broken, healthy, attempt, imported }: Scene): Readonly<Record<string, Shot>> {
  return {
    overview: { path: '/' },
    'overview-below': { path: '/', act: (page) => page.evaluate(() => window.scrollTo(0, 10_000)) },
    'overview-loading': { path: '/', isLoading: true, before: holdReads },
    shipments: { path: '/shipments', before: addEstimates },
    'shipments-loading': { path: '/shipments', isLoading: true, before: holdReads },
    'shipments-tablet': {
      path: '/shipments',
      before: addEstimates,
      act: (page) => page.setViewportSize({ width: 820, height: 1000 }),
    },
    bulk: {
      path: '/shipments',
      before: (page) =>
        page.route(/\/api\/v1\/bulk(\?|$)/, (route) => route.fulfill(envelope({ bulk_actions: [RUNNING] }))),
    },
    'test-mode': { path: '/shipments', isTest: true },
    expected: { path: `/shipments/${idOf('PHONE')}`, before: addEstimates },
    filters: {
      path: '/shipments?needs_attention=true&carrier=sandbox&created=7d&q=SBX',
      act: (page) => press(page, /(^| )(Filter|筛选)$/),
    },
    days: {
      path: '/shipments?created=2026-01-01..&sort=-created_at',
      act: (page) => press(page, /(^| )(Filter|筛选)$/),
    },
    'no-match': { path: '/shipments?status=expired&q=jacket' },
    drawer: { path: `/shipments?open=${idOf('PICKUP')}` },
    shipment: { path: `/shipments/${idOf('PICKUP')}` },
    undeliverable: { path: `/shipments/${idOf('UNDELIVERABLE')}` },
    'not-found': { path: `/shipments/${idOf('NOTFOUND')}` },
    explain: { path: `/shipments/${idOf('PHONE')}?tab=explain` },
    raw: { path: `/shipments/${idOf('EXPRESS')}?tab=raw` },
    edit: { path: `/shipments/${idOf('EXPRESS')}?edit=1` },
    'new-link': { path: `/shipments/${idOf('EXPRESS')}`, act: (page) => press(page, /^(New link|更换链接)$/) },
    add: { path: '/shipments/add?numbers=SBXEXPRESS9001,SBXPHONE1006,12345,770212345678' },
    selection: {
      path: '/shipments',
      act: async (page) => {
        for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
      },
    },
    search: {
      path: '/shipments',
      act: async (page) => {
        await page.keyboard.press('/');
        await page.keyboard.type('Order 100');
        await delay(1000);
      },
    },
    help: { path: '/', act: (page) => page.keyboard.press('?') },
    account: { path: '/', act: (page) => press(page, /^demo$/) },
    webhooks: { path: '/webhooks' },
    'add-webhook': { path: '/webhooks?add=1' },
    deliveries: { path: `/webhooks/${broken}` },
    'all-deliveries': { path: '/webhooks?tab=deliveries' },
    'all-failed': { path: '/webhooks?tab=deliveries&outcome=failed&code=500' },
    attempt: { path: `/webhooks/${broken}?attempt=${attempt}` },
    test: {
      path: `/webhooks/${healthy}?tab=test`,
      act: async (page) => {
        await press(page, /^(Verify the endpoint|验证端点)$/);
        await delay(2000);
      },
    },
    compose: {
      path: `/webhooks/${healthy}?tab=test`,
      act: async (page) => {
        await page.getByLabel(/^(Push|推送)$/).selectOption('tampered');
        await page.getByRole('heading', { name: /^(Preview|预览)$/ }).waitFor();
        await page.evaluate(() => window.scrollTo(0, 10_000));
      },
    },
    replay: { path: `/webhooks/${healthy}?tab=replay` },
    settings: { path: `/webhooks/${healthy}?tab=settings` },
    'account-settings': { path: '/settings' },
    imports: { path: '/imports' },
    columns: {
      path: '/imports',
      act: async (page) => {
        await page.locator('input[type=file]').setInputFiles(ORDERS);
        await page.getByRole('button', { name: /\d/ }).first().waitFor();
      },
    },
    import: { path: `/imports/${imported}` },
    people: { path: '/people' },
    activity: { path: '/people?tab=audit' },
    keys: { path: '/keys' },
    'create-key': { path: '/keys?create=1' },
    page: { path: pageOf('PICKUP'), isOutside: true, signedOut: true },
    'page-undeliverable': { path: pageOf('UNDELIVERABLE'), isOutside: true, signedOut: true },
    'page-not-found': { path: pageOf('NOTFOUND'), isOutside: true, signedOut: true },
    'page-gone': { path: '/t/AAAAAAAAAAAAAAAAAAAAAA', isOutside: true, signedOut: true },
    'no-page': { path: '/nothing/here' },
    offline: {
      path: '/shipments',
      act: async (page) => {
        await page.context().setOffline(true);
        await page
          .getByRole('status')
          .filter({ hasText: /Can’t reach the service|无法连接服务/ })
          .waitFor();
      },
    },
    broken: { path: '/shipments', before: (page) => refuse(page, 500, 'Internal error. Try again later.') },
    limited: { path: '/shipments', before: (page) => refuse(page, 429, 'Too many requests.', { 'Retry-After': '30' }) },
    'keys-forbidden': { path: '/keys', before: (page) => refuse(page, 403, 'The key lacks the scope admin.') },
  };
}

/** Nothing is answered, except for the frame. */
function holdReads(page: Page): Promise<void> {
  return page.route(/\/api\/v1\/(attention|stats|webhooks|shipments|couriers)/, () => {});
}

const RUNNING = {
  ...{ id: '691f0a3c5d2b4e6f8a9c0d1e', action: 'retrack', state: 'running', filter: {}, reasons: [] },
  ...{ matched: 4312, matched_is_lower_bound: false, done: 1204, skipped: 12, failed: 0 },
  ...{ created_at: '2031-03-04T08:00:00Z', started_at: '2031-03-04T08:00:00Z', ended_at: null },
};

function envelope(data: object) {
  return { contentType: 'application/json', body: JSON.stringify({ code: 200, meta: 'OK', message: 'OK', data }) };
}

const ENDED = ['delivered', 'returned', 'pending'];

/** Carriers' dates and estimates, early and late, which the sandbox does not give. */
async function addEstimates(page: Page): Promise<void> {
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const time = (hours: number) => `${new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 14)}00:00Z`;
  const estimates = [
    { from: day(1), to: day(1), source: 'carrier' },
    { from: day(-2), to: day(-2), source: 'carrier' },
    { from: day(2), to: day(5), source: 'history' },
    { from: time(2), to: time(4), source: 'carrier' },
    { from: day(-4), to: day(-1), source: 'history' },
  ];
  await page.route(/\/api\/v1\/(shipments|trackings\/[^/]+)(\?|$)/, async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { data: { shipments?: { sub_status: string }[] } };
    const { shipments } = body.data;
    if (shipments)
      body.data.shipments = shipments.map((one, n) =>
        ENDED.includes(one.sub_status) ? one : { ...one, estimated_delivery: estimates[n % estimates.length] },
      );
    else Object.assign(body.data, { estimated_delivery: estimates[1] });
    await route.fulfill({ response, json: body });
  });
}

/** Has the service refuse the lists of a page. */
function refuse(page: Page, code: number, message: string, headers: Record<string, string> = {}): Promise<void> {
  return page.route(/\/api\/v1\/(shipments|keys)(\?|$)/, (route) =>
    route.fulfill({
      status: code,
      headers: {
        'X-Request-Id': '4cdd45c2-2114-42c4-83e8-0042498bebd3',
        'Content-Type': 'application/json',
        ...headers,
      },
      body: JSON.stringify({ code, meta: code, message, data: {} }),
    }),
  );
}
