import { SEEN } from '../testing/world-numbers.ts';
import { carrierPage, carrierUrl, PAGES } from './pages.ts';
import { findCarrier } from './registry.ts';

/** Sites for parcels that carriers have besides their own. */
const OTHER_SITES: Readonly<Record<string, string>> = {
  'czech-post': 'postaonline.cz',
  'posten-norge': 'bring.com',
  tnt: 'tnt.com',
  dpd: 'dpd.de',
  hanjin: 'hanjin.com',
  'canada-post': 'canadapost-postescanada.ca',
  yunexpress: 'yuntrack.com',
  landmark: 'landmarkglobal.com',
  speedee: 'speedeedelivery.com',
  'japan-post': 'japanpost.jp',
};

const pages = Object.entries(PAGES).map(([code, [address]]) => [code, address] as const);

test('the most used carriers have a page', () => {
  expect(pages.length).toBeGreaterThanOrEqual(50);
});

test.each(pages)('the page of %s is on its own site, and its only blank is the number', (code, address) => {
  const carrier = findCarrier(code, { sandbox: false });
  const page = new URL(carrierUrl(code, 'AB 12/3') ?? '');
  expect(address.split('{}')).toHaveLength(2);
  expect(address).not.toMatch(/[%$<>\s]/);
  expect(page.protocol).toBe('https:');
  expect(page.href).toContain('AB%2012%2F3');
  const site = OTHER_SITES[code] ?? new URL(carrier?.url ?? '').hostname.replace(/^www\./, '');
  expect(page.hostname === site || page.hostname.endsWith(`.${site}`)).toBe(true);
});

test.each(SEEN)('%s of %s has a page that names it, or none', (number, carrier) => {
  const found = carrierUrl(carrier, number);
  if (found !== undefined) expect(decodeURIComponent(found)).toContain(number);
});

test('without a page, or without a number, the site stands for it', () => {
  expect(carrierUrl('sto', '773012345678')).toBeUndefined();
  expect(carrierUrl('constructor', '773012345678')).toBeUndefined();
  expect(carrierPage({ code: 'sto', url: 'https://www.sto.cn' }, '773012345678')).toBe('https://www.sto.cn');
  expect(carrierPage({ code: 'ups', url: 'https://www.ups.com' }, null)).toBe('https://www.ups.com');
});
