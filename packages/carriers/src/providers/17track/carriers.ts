import { carriers } from '../../registry/registry.ts';

/** 17TRACK's keys of our carriers. */
const KEYS: Readonly<Record<string, string>> = {
  'sf-express': '190766',
  yto: '190157',
  zto: '190455',
  sto: '190324',
  jd: '191121',
  jtexpress: '190442',
  'china-ems': '3013',
  'china-post': '3011',
  'best-express': '190846',
  deppon: '190174',
  cainiao: '190271',
  yunexpress: '190008',
  yanwen: '190012',
  '4px': '190094',
  cnexps: '190208',
  sunyou: '190072',
  sfc: '190113',
  wanb: '190086',
  jcex: '190120',
  jnet: '190082',
  ane: '191174',
  'zto-freight': '191106',
  usps: '21051',
  ups: '100002',
  fedex: '100003',
  dhl: '100001',
  'royal-mail': '11031',
  'canada-post': '3041',
  'australia-post': '1151',
  'japan-post': '10021',
  yamato: '100062',
  sagawa: '100040',
  ontrac: '100049',
  lasership: '100052',
  gofo: '100996',
  dpd: '100007',
  gls: '100005',
  postnord: '19241',
  yodel: '100017',
  purolator: '100042',
  canpar: '100146',
  'old-dominion': '100783',
  landmark: '100021',
  'dhl-paket': '7041',
  'hermes-de': '100031',
  'dpd-uk': '100010',
};

/** 17TRACK recognises the posts of the world by their numbers (S10). */
const RECOGNISED = carriers({ sandbox: false })
  .filter(({ code, type }) => type === 'globalpost' && !Object.hasOwn(KEYS, code))
  .map(({ code }) => code);

/** The carriers that 17TRACK serves, and its keys; '' where it finds the carrier by the number. */
export const CARRIERS: Readonly<Record<string, string>> = {
  ...KEYS,
  ...Object.fromEntries(RECOGNISED.map((code) => [code, ''])),
};

/** 17TRACK's key of a carrier as its API expects it; undefined where it finds the carrier by the number. */
export function keyOf(carrier: string): number | undefined {
  const key = KEYS[carrier];
  return key === undefined ? undefined : Number(key);
}

const CARRIER_OF_KEY = new Map(Object.entries(KEYS).map(([carrier, key]) => [key, carrier]));

/** Our carrier with this key; undefined for one that 17TRACK found by the number or that is not ours. */
export function carrierOf(key: string): string | undefined {
  return CARRIER_OF_KEY.get(key);
}
