import { createHash } from 'node:crypto';
import { directionOf, LANGUAGES } from '@pts/core/languages/texts';
import { errorPage, lookupPage, NO_BRAND, parcelPage } from '../apps/api/src/pages/html.ts';
import { pageJson, viewPage } from '../apps/api/src/pages/view.ts';
import { DEPS, NOW, SAMPLE_NAMES, sampleOrder, sampleRecord } from '../scripts/tracking-pages/samples.ts';

const MAX_BYTES = 40_000;

function pageOf(
  name: string,
  language: (typeof LANGUAGES)[number],
  more: Partial<ReturnType<typeof sampleRecord>> = {},
) {
  const record = { ...sampleRecord(name), ...more };
  const [, ...others] = sampleOrder(name);
  const view = viewPage(record, DEPS, language, NOW, [record, ...others]);
  const brand = {
    name: record.shopName,
    url: record.shopUrl,
    color: record.color,
    logo: { url: 'a/logo', width: 240, height: 64 },
  };
  return { view, page: parcelPage(view, { brand, isEmbedded: false, frameAncestors: [] }) };
}

const hashOf = (content: string) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
const contentsOf = (body: string, tag: string) =>
  Array.from(body.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g')), ([, content]) => content ?? '');

describe.each(LANGUAGES)('in %s', (language) => {
  const pages = SAMPLE_NAMES.map((name) => ({ name, ...pageOf(name, language) }));

  test('every page is small, says its language, and loads nothing from anywhere else', () => {
    for (const { page } of pages) {
      expect(Buffer.byteLength(page.body)).toBeLessThan(MAX_BYTES);
      expect(page.body).toContain(`<html lang="${language}" dir="${directionOf(language)}">`);
      const loaded = Array.from(
        page.body.matchAll(/ src="([^"]*)"|<link[^>]* href="([^"]*)"/g),
        ([, src, href]) => src ?? href,
      );
      expect(loaded).toEqual(['data:,', 'a/logo']);
      expect(page.body).not.toMatch(/ style=| on\w+=|@import|url\(/);
    }
  });

  test('the policy allows exactly the styles and the script of the page', () => {
    for (const { page } of pages) {
      const [styles, scripts] = [contentsOf(page.body, 'style'), contentsOf(page.body, 'script')];
      expect(page.csp).toContain(`style-src ${styles.map(hashOf).join(' ')};`);
      expect(page.csp).toContain(`script-src ${scripts.map(hashOf).join(' ')};`);
      expect(page.csp).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
      expect(page.csp).not.toMatch(/unsafe|\*/);
    }
  });

  test('every sentence is filled in, and nothing is undefined', () => {
    for (const { page, view } of pages) {
      expect(page.body.replace(/<style>[\s\S]*?<\/style>|<script>[\s\S]*?<\/script>/g, '')).not.toMatch(
        /\{\w+\}|undefined|\bnull\b|NaN|Invalid/,
      );
      expect(view.headline).not.toBe('');
    }
  });

  test('nobody is named', () => {
    for (const { page, view } of pages) {
      const all = page.body + JSON.stringify(pageJson(view, 'token'));
      expect(all).not.toMatch(/John|Solano|SMITH|07700|4711|张三|王小明|13812345678|138\*/);
    }
  });
});

const textOf = (body: string) =>
  body.replace(/<style>[\s\S]*?<\/style>|<script>[\s\S]*?<\/script>|<[^>]+>/g, ' ').replace(/\s+/g, ' ');

// Versions of Node differ in commas, spaces and words around dates.
// biome-ignore format: one page per line is readable as a table
test.each([
  ['arriving-today', 'en', /Arriving today, Tue,? 4 March, 14:00\s?–\s?16:00 According to the carrier/],
  ['arriving-today', 'de', /Kommt heute, Di\.,? 4\. März, 14:00\s?–\s?16:00( Uhr)? Angabe des Paketdienstes/],
  ['expected', 'en', /Expected Thu,? 6 March According to the carrier/],
  ['expected', 'zh', /预计 3月6日\s?周四 送达 承运商提供/],
  ['estimated', 'en', /Expected 5\s?–\s?8 March Estimate from similar parcels/],
  ['late', 'en', /Later than expected/],
  ['late', 'en', /Originally expected Mon,? 3 March\. There is no new date yet\./],
  ['problem', 'en', /Originally expected Mon,? 3 March\. There is no new date yet\./],
  ['in-transit', 'en', /On its way Notify me/],
  ['delayed', 'en', /Expected Thu,? 6 March According to the carrier In transit Delayed by weather Bad weather/],
  ['delivered', 'en', /Product Blue jacket, size M Order number A-1001 Delivered to a neighbour Signed by •••/],
  ['delivered', 'zh', /签收方式 邻居代收 签收人 •••/],
  ['pickup', 'en', /Pick-up point Parcel shop Holtenau Kanalstr\. 12, 24159 Kiel Opening hours: Mo–Fr 08:00–20:00/],
  ['delivered', 'en', /Delivered Tue,? 4 March/],
  ['pieces', 'en', /1 of 3 pieces have been delivered\./],
  ['not-found', 'en', /This is normal on the first day/],
  ['not-found-long', 'en', /ask the shop/],
  ['handed-over', 'en', /YTO Express/],
  ['handed-over', 'en', /Handed over to SF Express Track on sf-express.com Tracking number SF1000000000015/],
  ['in-transit', 'en', /Yesterday 05:50 Arrived at the local depot Kiel, Germany/],
  ['in-transit', 'en', /Earlier events: 2/],
  ['order', 'en', /1 of 3 parcels have been delivered Blue jacket, size M 1Z999AA10123456784 Out for delivery today.* 1Z999AA10123456784 Delivered Tue.* Held by customs.* Out for delivery today/],
  ['order', 'zh', /3 个包裹中已签收 1 个/],
] as const)('%s in %s says: %s', (name, language, text) => {
  expect(textOf(pageOf(name, language).page.body)).toMatch(text);
});

const heroOf = (body: string) =>
  body.slice(body.indexOf('<section class="card hero'), body.indexOf('<div class="side">'));
const titles = (body: string) => Array.from(body.matchAll(/<b[^>]*>([^<]*)<\/b>/g), ([, text]) => text);

// biome-ignore format: one page per line is readable as a table
test.each([
  ['handed-over', 'en', ['Out for delivery', 'Handed over to SF Express', 'The carrier has the parcel'], '<q lang="zh" dir="auto">【上海市】'],
  ['handed-over', 'de', ['In Zustellung', 'Übergeben an SF Express', 'Beim Paketdienst eingegangen'], '<q lang="zh" dir="auto">【上海市】'],
  ['customs', 'ar', ['محتجز لدى الجمارك', 'خرج للتوصيل', 'في الطريق'], '<q lang="en" dir="auto">Held by customs'],
  ['lost', 'ko', ['물품 분실', '배송 출발', '배송 중'], '<q lang="en" dir="auto">The parcel cannot be found</q>'],
] as const)('the history of %s in %s is said in its words, with those of the carrier below', (name, language, said, original) => {
  const { body } = pageOf(name, language).page;
  expect(titles(body).slice(0, 3)).toEqual(said);
  expect(body).toContain(original);
});

test('a text in the language of the page stays as it is, also if its writer is not known', () => {
  const own = pageOf('handed-over', 'zh').page.body;
  expect([own.includes('<q'), own.includes('<b lang="zh" dir="auto">【上海市】')]).toEqual([false, true]);
  const unknown = (language: 'en' | 'de') => pageOf('in-transit', language, { provider: '17track' }).page.body;
  expect(unknown('en')).not.toContain('<q');
  expect(unknown('de')).toContain('<q dir="auto">Arrived at the local depot</q>');
});

test('the headline says when, and the status once beside it', () => {
  const { body } = pageOf('expected', 'en').page;
  const hero = textOf(heroOf(body));
  expect(hero.match(/In transit/g)).toHaveLength(1);
  expect(textOf(pageOf('out-for-delivery', 'en').page.body).match(/Out for delivery today/g)).toHaveLength(2); // with <title>
});

test.each([
  ['missed', ['Track on ups.com', 'Contact the shop', 'Notify me of updates']],
  ['lost', ['Contact the shop', 'Notify me of updates']],
  ['delayed', ['Notify me of updates']],
  ['returned', ['Contact the shop']],
  ['delivered', []],
])('the page of a parcel that is %s offers %j', (name, offers) => {
  const { body } = pageOf(name, 'en').page;
  const links = Array.from(
    heroOf(body).matchAll(/<a class="button" href="(https|mailto):[^"]*" rel="noopener noreferrer">(.*?)<\/a>/g),
  );
  expect(links.map(([, , content = '']) => content.replace(/<[^>]*>/g, ''))).toEqual(offers);
});

test('what the shop hides or the carrier does not state is left out', () => {
  const hidden = textOf(pageOf('delivered', 'en', { hideOrder: true }).page.body);
  expect(hidden).not.toMatch(/Blue jacket|A-1001/);
  const none = pageOf('delivered', 'en', { annotations: null, title: ' ', orderId: null, notifyUrl: null }).page.body;
  expect(none).not.toMatch(/Delivered to|Signed by|Product|Order number|Notify/);
  expect(pageOf('pickup', 'en', { hidePlaces: true }).page.body).not.toMatch(/Holtenau|openstreetmap/);
});

// biome-ignore format: one point per line is readable as a table
test.each([
  [{ name: 'FEN01A', latitude: 52.1, longitude: 20.9 }, 'https://www.openstreetmap.org/?mlat=52.1&amp;mlon=20.9#map=17/52.1/20.9'],
  [{ name: 'Відділення №1', address: 'вул. Липова, 22' }, 'https://www.openstreetmap.org/search?query=%D0%B2'],
  [{ name: 'Branch 7' }, null],
])('a pick-up point of %j has the map %s', (pickupPoint, url) => {
  const { body } = pageOf('pickup', 'en', { annotations: { pickupPoint } }).page;
  expect(body).toContain(pickupPoint.name);
  if (url === null) expect(body).not.toContain('openstreetmap');
  else expect(body).toContain(url);
});

test('of a long history, the newest steps are shown and the others counted', () => {
  const { view, page } = pageOf('long-history', 'en');
  expect(view.events.length + view.omitted).toBe(500);
  expect(view.events.length).toBeGreaterThan(3);
  expect(page.body).toContain(`Older events not shown: ${view.omitted}`);
  expect(page.body).toContain('&lt;b&gt;&quot;');
});

test('a page stays small whatever a carrier writes', () => {
  const scans = sampleRecord('long-history').scans.map((scan) => ({
    ...scan,
    description: `"'`.repeat(250),
    location: '<'.repeat(500),
  }));
  const { page } = pageOf('long-history', 'ar', {
    scans,
    shopName: '&'.repeat(100),
    shopUrl: `https://shop.example/${'&'.repeat(400)}`,
  });
  expect(Buffer.byteLength(page.body)).toBeLessThan(MAX_BYTES);
});

test('a page of many parcels stays small, and names each by its place where carriers are hidden', () => {
  const record = { ...sampleRecord('long-history'), hideCarrier: true };
  const all = Array.from({ length: 20 }, (_, n) => ({ ...record, id: String(n).padStart(24, '0') }));
  const [own = record] = all;
  const { body } = parcelPage(viewPage(own, DEPS, 'ar', NOW, all), {
    brand: NO_BRAND,
    isEmbedded: false,
    frameAncestors: [],
  });
  expect(Buffer.byteLength(body)).toBeLessThan(MAX_BYTES);
  expect(body.match(/<a href="[A-Za-z0-9_-]{22}\?lang=ar"/g)).toHaveLength(20);
  expect(body).not.toContain(record.trackingNumber);
});

test('hidden carriers and places are nowhere, in words, numbers or links', () => {
  const more = { hideCarrier: true, hidePlaces: true };
  const { page, view } = pageOf('handed-over', 'en', more);
  const all = page.body + JSON.stringify(pageJson(view, 'token'));
  expect(all).not.toMatch(/YTO|yto|圆通|SF Express|顺丰|YT8962646785999|上海|杭州/);
  const places = pageOf('in-transit', 'en', { hidePlaces: true }).page.body;
  expect(places).not.toMatch(/Kiel|Hamburg|Leipzig/);
  expect(places).toContain('1Z999AA10123456784');
});

test('the carrier is not named while it is one of several candidates', () => {
  expect(pageOf('not-found', 'en', { isUndecided: true }).view.carriers).toEqual([]);
});

test.each(LANGUAGES)(
  'pages without a parcel say so in %s, and name no shop but the one whose page has expired',
  (language) => {
    const brand = { ...NO_BRAND, name: 'Nordlicht', url: 'https://shop.example' };
    expect(errorPage('gone', language, brand).body).toContain('https://shop.example');
    const bodies = (['missing', 'busy', 'unavailable'] as const).map((name) => errorPage(name, language).body);
    expect(new Set(bodies).size).toBe(3);
    const form = { language, brand, action: 'x?lang=en', supportUrl: null };
    const faults = (['missing', 'gone', 'notFound', 'limited'] as const).map((fault) => lookupPage({ ...form, fault }));
    expect(new Set(faults.map(({ body }) => body)).size).toBe(4);
    for (const { body, csp } of faults) {
      expect(body).toContain('<form method="post" action="x?lang=en">');
      expect(csp).toContain("form-action 'self'");
    }
  },
);
