import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { installChineseFont } from '@pts/testing/browser/chinese-font';
import { startReceiver } from '@pts/testing/receiver';
import type { Page } from 'playwright-core';
import { merchantOf } from '../support/merchant.ts';
import { realNumbers } from '../support/numbers.ts';
import { startFastService } from '../support/service.ts';
import { type Look, launchBrowser, openPage } from './support/browser.ts';

// npm run screenshots: every view of the console, in both themes, both languages and two widths, into .cache/screenshots.
const TARGET = resolve(import.meta.dirname, '../../.cache/screenshots');

const LOOKS: readonly (Look & { name: string })[] = [
  { name: 'wide-light-en' },
  { name: 'wide-dark-en', theme: 'dark' },
  { name: 'wide-light-zh', language: 'zh-CN' },
  { name: 'phone-light-en', width: 390, height: 844 },
  { name: 'phone-dark-zh', width: 390, height: 844, theme: 'dark', language: 'zh-CN' },
];
const STORIES = ['EXPRESS', 'PICKUP', 'EXCEPTION', 'UNDELIVERABLE', 'RETURNED', 'NOTFOUND', 'PHONE', 'ORDINARY'];

rmSync(TARGET, { recursive: true, force: true });
mkdirSync(TARGET, { recursive: true });
await installChineseFont();
const [{ service, close }, browser] = await Promise.all([startFastService('screenshots', undefined), launchBrowser()]);
const baseUrl = service.ready.base_url;
const apiKey = service.ready.api_key;
const { client } = merchantOf(service);
const healthy = await startReceiver();
const failing = await startReceiver({ respond: () => ({ status: 500, body: 'Error: no space left on device' }) });
try {
  await shootAll('empty', {
    'sign-in': { path: '/', signedOut: true },
    shipments: { path: '/shipments' },
    overview: { path: '/' },
    webhooks: { path: '/webhooks' },
  });
  const webhook = await client.webhooks.register({ url: healthy.url, events: ['tracking_update'] });
  const broken = await client.webhooks.register({
    url: failing.url,
    events: ['tracking_update', 'tracking_delivered'],
  });
  const parcels = STORIES.map((story, n) => ({
    tracking_number: `SBX${story}${1000 + n}`,
    title: `Order ${1000 + n}`,
  }));
  const { success } = await client.trackings.batch(parcels);
  await client.trackings.batch(realNumbers(30).map(({ number }) => ({ tracking_number: number, phone: '5678' })));
  const idOf = (story: string) => success[STORIES.indexOf(story)]?.id ?? '';
  await delay(25_000);
  const attempt = (await client.webhooks.deliveries({ webhook_id: broken.id })).items[0]?.id ?? '';
  await shootAll('full', {
    overview: { path: '/' },
    shipments: { path: '/shipments' },
    'no-match': { path: '/shipments?status=expired' },
    drawer: { path: `/shipments?open=${idOf('PICKUP')}` },
    shipment: { path: `/shipments/${idOf('PICKUP')}` },
    undeliverable: { path: `/shipments/${idOf('UNDELIVERABLE')}` },
    'not-found': { path: `/shipments/${idOf('NOTFOUND')}` },
    explain: { path: `/shipments/${idOf('PHONE')}?tab=explain` },
    raw: { path: `/shipments/${idOf('EXPRESS')}?tab=raw` },
    edit: {
      path: `/shipments/${idOf('EXPRESS')}`,
      act: (page) => page.getByRole('button', { name: /^(Edit|编辑)$/ }).click(),
    },
    add: { path: `/shipments/add?numbers=SBXEXPRESS9001,SBXPHONE1006,12345,770212345678` },
    selection: {
      path: '/shipments',
      act: async (page) => {
        await page.keyboard.press('j');
        await page.keyboard.press('x');
        await page.keyboard.press('j');
        await page.keyboard.press('x');
      },
    },
    search: {
      path: '/shipments',
      act: async (page) => {
        await page.keyboard.press('/');
        await page.keyboard.type('SBXEXPRESS1000, SBXPICKUP1001');
        await delay(1000);
      },
    },
    help: { path: '/', act: (page) => page.keyboard.press('?') },
    account: { path: '/', act: (page) => page.getByRole('button', { name: 'demo' }).click() },
    webhooks: { path: '/webhooks' },
    'add-webhook': { path: '/webhooks?add=1' },
    deliveries: { path: `/webhooks/${broken.id}` },
    attempt: { path: `/webhooks/${broken.id}?attempt=${attempt}` },
    test: {
      path: `/webhooks/${webhook.id}?tab=test`,
      act: async (page) => {
        await page.getByRole('button', { name: /^(Check the verification|检查验签)$/ }).click();
        await delay(2000);
      },
    },
    replay: { path: `/webhooks/${webhook.id}?tab=replay` },
    settings: { path: `/webhooks/${webhook.id}?tab=settings` },
    'no-page': { path: '/nothing/here' },
    offline: {
      path: '/shipments',
      act: async (page) => {
        await page.context().setOffline(true);
        await delay(4000);
      },
    },
    broken: {
      path: '/shipments',
      before: (page) =>
        page.route('**/api/v1/shipments*', (route) =>
          route.fulfill({
            status: 500,
            headers: { 'X-Request-Id': '4cdd45c2-2114-42c4-83e8-0042498bebd3', 'Content-Type': 'application/json' },
            body: JSON.stringify({ code: 500, meta: 500, message: 'Internal error. Try again later.', data: {} }),
          }),
        ),
    },
  });
} finally {
  await browser.close();
  await Promise.all([healthy.close(), failing.close()]);
  await close();
}
process.stdout.write(`${TARGET}\n`);

type Shot = {
  path: string;
  signedOut?: boolean;
  before?(page: Page): Promise<unknown>;
  act?(page: Page): Promise<unknown>;
};

async function shootAll(state: string, shots: Record<string, Shot>): Promise<void> {
  for (const look of LOOKS) {
    for (const [name, { path, signedOut, before, act }] of Object.entries(shots)) {
      const { page, context, faults } = await openPage(browser, baseUrl, { ...look, ...(signedOut ? {} : { apiKey }) });
      await before?.(page);
      await page.goto(`${baseUrl}/console${path}`);
      await delay(1200);
      await act?.(page);
      await delay(300);
      await page.screenshot({ path: join(TARGET, `${state}-${name}-${look.name}.png`) });
      for (const fault of await faults()) process.stderr.write(`${state} ${name} ${look.name}: ${fault}\n`);
      await context.close();
    }
  }
}
