import { carriers } from '../../registry/registry.ts';
import { slugs } from '../../registry/slugs.ts';

/** AfterShip's slugs of our carriers; it finds the others by the number. */
const NAMED: Readonly<Record<string, string>> = {
  usps: 'usps',
  ups: 'ups',
  fedex: 'fedex',
  dhl: 'dhl',
  tnt: 'tnt',
  dpd: 'dpd',
  gls: 'gls',
  yodel: 'yodel',
  purolator: 'purolator',
  canpar: 'canpar',
  ontrac: 'ontrac',
  lasership: 'lasership',
  yamato: 'taqbin-jp',
  sagawa: 'sagawa',
  aramex: 'aramex',
  'royal-mail': 'royal-mail',
  'canada-post': 'canada-post',
  'australia-post': 'australia-post',
  'japan-post': 'japan-post',
  'china-post': 'china-post',
  'china-ems': 'china-ems',
  'sf-express': 'sf-express',
  yanwen: 'yanwen',
  '4px': '4px',
  yunexpress: 'yunexpress',
  'swiss-post': 'swiss-post',
  'austrian-post': 'austrian-post',
  'singapore-post': 'singapore-post',
  'hongkong-post': 'hong-kong-post',
  'korea-post': 'korea-post',
  'thailand-post': 'thailand-post',
  'new-zealand-post': 'new-zealand-post',
  'an-post': 'an-post',
  postnord: 'postnord',
  'posten-norge': 'posten-norge',
  'poste-italiane': 'poste-italiane',
  'poczta-polska': 'poczta-polska',
  'russian-post': 'russian-post',
  bpost: 'bpost',
  delhivery: 'delhivery',
  'colis-prive': 'colis-prive',
  brt: 'brt-it',
  winit: 'winit',
};

/** The carriers that AfterShip serves, and its slugs; '' where it finds the carrier by the number. */
export const COURIERS = slugs(
  Object.fromEntries(carriers({ sandbox: false }).map(({ code }) => [code, NAMED[code] ?? ''])),
);
