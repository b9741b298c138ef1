import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { installChineseFont } from '@pts/testing/browser';
import { eventually } from '@pts/testing/eventually';
import { startReceiver } from '@pts/testing/http-server';
import { merchantOf } from '../support/merchant.ts';
import { realNumbers } from '../support/numbers.ts';
import { startFastService } from '../support/service.ts';
import { type Look, launchBrowser, openPage } from './support/browser.ts';
import { ordersFile } from './support/orders-file.ts';
import { addPastMonth } from './support/past-month.ts';
import { EMPTY, fullShots, type Scene, type Shot } from './support/shots.ts';

// npm run screenshots [-- VIEW …]: every view of the console, or those named, in both themes, both languages and two
// widths, into .cache/screenshots.
const TARGET = resolve(import.meta.dirname, '../../.cache/screenshots');
const WANTED = process.argv.slice(2);

const LOOKS: readonly (Look & { name: string })[] = [
  { name: 'wide-light-en' },
  { name: 'wide-dark-en', theme: 'dark' },
  { name: 'wide-light-zh', language: 'zh-CN' },
  { name: 'phone-light-en', width: 390, height: 844 },
  { name: 'phone-dark-zh', width: 360, height: 800, theme: 'dark', language: 'zh-CN' },
];
const STORIES = ['EXPRESS', 'PICKUP', 'EXCEPTION', 'UNDELIVERABLE', 'RETURNED', 'NOTFOUND', 'PHONE', 'ORDINARY'];
/** Until the parcels have moved and some of them need attention. */
const MOVED_MS = 15_000;
const UNDER_WAY_MS = 4_000;

mkdirSync(TARGET, { recursive: true });
await installChineseFont();
const [{ service, close }, browser] = await Promise.all([
  startFastService('screenshots', undefined),
  launchBrowser('pictures'),
]);
const baseUrl = service.ready.base_url;
const apiKey = service.ready.api_key;
const { client } = merchantOf(service);
const { key: testKey } = await client.keys.create({ name: 'Test', scopes: ['read', 'write', 'webhooks'], test: true });
const healthy = await startReceiver();
const failing = await startReceiver({ respond: () => ({ status: 500, body: 'Error: no space left on device' }) });
try {
  await shootAll('empty', EMPTY);
  await shootAll('full', fullShots(await setScene()));
} finally {
  await browser.close();
  await Promise.all([healthy.close(), failing.close()]);
  await close();
}
process.stdout.write(`${TARGET}\n`);

/** An account with parcels in all states, a healthy and a failing endpoint, a finished import, and keys. */
async function setScene(): Promise<Scene> {
  const webhook = await client.webhooks.register({ url: healthy.url, events: ['tracking_update'] });
  const broken = await client.webhooks.register({
    url: failing.url,
    events: ['tracking_update', 'tracking_delivered'],
  });
  const { account_id: accountId } = await client.auth.me();
  await addPastMonth(service.ready.database_url, accountId, [webhook.id, broken.id]);
  await client.account.changePages({ enabled: true });
  await client.keys.create({ name: 'ERP', scopes: ['read', 'write'], expires_at: '2027-12-31T00:00:00Z' });
  await client.keys.create({ name: 'Warehouse', scopes: ['read'], networks: ['203.0.113.0/24', '2001:db8:40::/48'] });
  const parcels = STORIES.map((story, n) => ({
    tracking_number: `SBX${story}${1000 + n}`,
    title: ['Blue jacket, size M', 'Winter boots', 'Kettle'][n % 3] ?? '',
    order_id: `Order ${1000 + n}`,
  }));
  const { success } = await client.trackings.batch(parcels);
  await client.trackings.batch(realNumbers(30).map(({ number }) => ({ tracking_number: number, phone: '5678' })));
  const { id: imported } = await client.imports.start({ content: ordersFile(60), file_name: 'orders-november.csv' });
  await eventually(async () => {
    if ((await client.imports.one(imported)).state !== 'done') throw new Error('the import is not done');
  });
  await delay(MOVED_MS);
  // On their way while the first pictures are taken.
  await client.trackings.batch(
    STORIES.map((story, n) => ({ tracking_number: `SBX${story}${2000 + n}`, title: 'Teapot', order_id: `T-${n}` })),
  );
  await delay(UNDER_WAY_MS);
  const pages = await Promise.all(
    success.map(async ({ id }) => new URL((await client.trackings.one(id)).tracking_page_url ?? '/').pathname),
  );
  return {
    idOf: (story) => success[STORIES.indexOf(story)]?.id ?? '',
    pageOf: (story) => pages[STORIES.indexOf(story)] ?? '/',
    healthy: webhook.id,
    broken: broken.id,
    attempt: (await client.webhooks.deliveries({ webhook_id: broken.id })).items[0]?.id ?? '',
    imported,
  };
}

async function shootAll(state: string, shots: Readonly<Record<string, Shot>>): Promise<void> {
  const wanted = Object.entries(shots).filter(([name]) => WANTED.length === 0 || WANTED.includes(name));
  for (const look of LOOKS) for (const [name, shot] of wanted) await shoot(`${state}-${name}-${look.name}`, look, shot);
}

async function shoot(
  name: string,
  look: Look,
  { path, isOutside, signedOut, isTest, isLoading, before, act }: Shot,
): Promise<void> {
  const signedIn = signedOut ? {} : { apiKey: isTest ? testKey : apiKey };
  const { page, context, faults } = await openPage(browser, baseUrl, { ...look, ...signedIn });
  await before?.(page);
  await page.goto(`${baseUrl}${isOutside ? '' : '/console'}${path}`);
  await page.locator('h1').first().waitFor();
  if (!isLoading) await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await delay(400);
  await act?.(page);
  await delay(300);
  await page.screenshot({ path: join(TARGET, `${name}.png`) });
  for (const fault of await faults()) process.stderr.write(`${name}: ${fault}\n`);
  await context.close();
}
