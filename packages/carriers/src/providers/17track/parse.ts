import type { CarrierAnswer, FailedAnswer, Failure } from '@pts/core/tracking/answer';
import { answerFrom, answersByNumber, isSameNumber, refusedCall } from '../../answer/answers.ts';
import { failed, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, isObject, type JsonObject, objectsIn, partOf, textOf } from '../../http/json.ts';
import { carriers } from '../../registry/registry.ts';
import {
  codeTable,
  GOING_BACK,
  type ListedScan,
  type Meaning,
  REFUSED,
  type ReadScan,
  undeliverable,
} from '../../texts/meaning.ts';
import { refined, refinedPending } from '../../texts/reader.ts';
import { destinationAt, type Place, placeText } from '../../time/place.ts';
import { estimateOf, type ResolvedTime, resolveTime } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = '17TRACK';

/** The results for the numbers of one call. */
export type Sorted = { accepted: JsonObject[]; rejected: JsonObject[] };

/**
 * Reads the answer to one `/gettrackinfo`. A refused call fails every number, a rejected number only itself. A number
 * may be registered under several carriers.
 */
export function parseTrackInfo(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const sorted = sortedIn(outcome);
  if ('kind' in sorted) return refusedCall(requested, sorted);
  const answers = answersByNumber(requested, sorted.accepted, {
    provider: TITLE,
    numbersOf: (item) => [textOf(item, 'number')],
    answerOf: parseTracking,
    carrierOf: (item) => carrierOf(codeOf(item, 'carrier')) ?? null,
    // 17TRACK lists every number: one that it leaves out may be registered.
    missing: { kind: 'not_found' },
  });
  return answers.map((answer, i) => {
    const refused = sorted.rejected.find((item) => isSameNumber(textOf(item, 'number'), requested[i]?.number ?? ''));
    return refused && answer.kind !== 'found' ? rejection(partOf(refused, 'error')) : answer;
  });
}

/** The envelope of every call: `data.accepted[]` and `data.rejected[]`, or why the whole call was refused. */
export function sortedIn(outcome: HttpOutcome): Sorted | FailedAnswer {
  const read = jsonBody(outcome, TITLE);
  if (read.kind === 'failed') return read;
  const data = partOf(read.body, 'data');
  if (Array.isArray(data.accepted))
    return { accepted: objectsIn(data, 'accepted'), rejected: objectsIn(data, 'rejected') };
  // Callbacks have the same tracking in the same place, without a list.
  if (textOf(data, 'number') !== '') return { accepted: [data], rejected: [] };
  const [error = read.body] = objectsIn(data, 'errors');
  const failure = outcomeOf(codeOf(error, 'code'));
  return failed(failure === 'not_found' ? 'unreadable' : failure, messageOf(error));
}

/** A number that was refused: not known yet, or a failure of its own. */
function rejection(error: JsonObject): CarrierAnswer {
  const code = codeOf(error, 'code');
  if (code === NOT_REGISTERED) return { kind: 'not_found', isUnregistered: true };
  const outcome = outcomeOf(code);
  return outcome === 'not_found' ? { kind: 'not_found' } : failed(outcome, messageOf(error));
}

export function messageOf(error: JsonObject): string {
  return `${TITLE} responded with ${codeOf(error, 'code') || 'no code'}: ${textOf(error, 'message')}`;
}

/** Reads a tracking, from an answer or a callback. The events of all its carriers are one history. */
export function parseTracking(item: JsonObject): CarrierAnswer {
  const info = isObject(item.track_info) ? item.track_info : summaryOf(item);
  const latest = partOf(info, 'latest_status');
  const state = meaningOfStatus(textOf(latest, 'sub_status'), textOf(latest, 'status'));
  const events = objectsIn(partOf(info, 'tracking'), 'providers').flatMap((carrier) => objectsIn(carrier, 'events'));
  const read = (events.length > 0 ? events : [partOf(info, 'latest_event')].filter(hasTime)).map(scanOf);
  const expected = partOf(partOf(info, 'time_metrics'), 'estimated_delivery_date');
  const estimatedDelivery = estimateOf(textOf(expected, 'from'), textOf(expected, 'to'), {});
  return answerFrom(read, TITLE, { state, estimatedDelivery, ...destinationAt(recipientOf(info)) });
}

function recipientOf(info: JsonObject): Place {
  const address = partOf(partOf(info, 'shipping_info'), 'recipient_address');
  return {
    locality: textOf(address, 'city'),
    region: textOf(address, 'state'),
    country: textOf(address, 'country') || textOf(info, 'recipient_country'),
  };
}

/** Lists of registrations have the newest event alone, under other names. */
function summaryOf(item: JsonObject): JsonObject {
  return {
    latest_status: { status: item.package_status },
    latest_event: { time_iso: item.latest_event_time, description: item.latest_event_info },
  };
}

function scanOf(event: JsonObject): ListedScan {
  if (!hasTime(event)) return 'untimed';
  const resolved = timeOf(event);
  if (resolved === null) return null;
  const description = textOf(event, 'description');
  const [subStatus, stage] = [textOf(event, 'sub_status'), textOf(event, 'stage')];
  const meaning = meaningOfEvent(subStatus, stage, description);
  return {
    scan: { ...resolved, location: textOf(event, 'location') || placeText(partsOf(event)), description },
    meaning,
    place: partsOf(event),
    code: subStatus || stage,
  };
}

function hasTime(event: JsonObject): boolean {
  const { time_raw: raw } = event;
  const own = isObject(raw) ? textOf(raw, 'date') : textOf(event, 'time_raw');
  return textOf(event, 'time_utc') !== '' || textOf(event, 'time_iso') !== '' || own !== '';
}

/** `time_utc` before `time_iso`, which has an offset, before the carrier's own (`time_raw`). */
function timeOf(event: JsonObject): (ResolvedTime & { timeRaw: string }) | null {
  const iso = textOf(event, 'time_iso');
  const utc = textOf(event, 'time_utc');
  const { time_raw: raw } = event;
  const own = isObject(raw)
    ? `${textOf(raw, 'date')} ${textOf(raw, 'time') || '00:00:00'}${textOf(raw, 'timezone')}`
    : '';
  for (const text of [utc, iso, own, textOf(event, 'time_raw')]) {
    const resolved = resolveTime(text, 'UTC');
    if (resolved) return { ...resolved, timeRaw: iso || text };
  }
  return null;
}

function partsOf(event: JsonObject): Place {
  const address = partOf(event, 'address');
  return { locality: textOf(address, 'city'), region: textOf(address, 'state'), country: textOf(address, 'country') };
}

const REFUSED_AT_DELIVERY: Meaning = { status: 'undeliverable', course: 'refused' };

/** Statuses, their sub-statuses (`<status>_<detail>`) and the stages of events. */
const meaningOfCode = codeTable({
  InfoReceived: 'info_received',
  InTransit: 'in_transit',
  InTransit_PickedUp: 'in_transit',
  InTransit_Departure: 'in_transit',
  InTransit_Arrival: 'in_transit',
  InTransit_Arrived: 'in_transit',
  InTransit_CustomsProcessing: 'in_transit',
  InTransit_CustomsReleased: 'in_transit',
  InTransit_CustomsRequiringInformation: 'customs', // the recipient must act
  OutForDelivery: 'out_for_delivery',
  AvailableForPickup: 'available_for_pickup',
  DeliveryFailure: 'undeliverable', // any kind
  DeliveryFailure_NoBody: undeliverable('recipient_unavailable'),
  DeliveryFailure_Security: 'undeliverable', // any kind: security, customs or a payment
  DeliveryFailure_InvalidAddress: undeliverable('address'),
  DeliveryFailure_Rejected: REFUSED_AT_DELIVERY,
  Delivered: 'delivered',
  Exception: 'exception', // any kind
  Exception_Returning: GOING_BACK,
  Exception_Returned: 'returned',
  Exception_Rejected: REFUSED,
  Exception_NoBody: 'recipient_unavailable',
  Exception_Security: 'exception', // any kind: security, customs or a payment
  Exception_Damage: 'damaged',
  Exception_Lost: 'lost',
  Exception_Delayed: 'delayed',
  Exception_Destroyed: 'exception', // any kind
  Exception_Cancel: 'cancelled',
  Exception_Held: 'held',
  // Stages that are not statuses
  PickedUp: 'in_transit',
  Departure: 'in_transit',
  Arrival: 'in_transit',
  Returning: GOING_BACK,
  Returned: 'returned',
});

/** A detail that is not listed, such as `_Other`, means its status. */
function meaningOf(code: string): Meaning | undefined {
  return meaningOfCode(code) ?? meaningOfCode(code.replace(/_[^_]*$/, ''));
}

/** The meaning of a status; undefined for `NotFound`, `Expired` and unknown codes. */
export function meaningOfStatus(subStatus: string, status: string): Meaning | undefined {
  return meaningOf(subStatus) ?? meaningOf(status);
}

/** The meaning of an event: its sub-status before its stage, which may be missing, before its text. */
export function meaningOfEvent(subStatus: string, stage: string, text: string): ReadScan['meaning'] {
  if (/^NotFound/i.test(subStatus || stage)) return refinedPending(text);
  const isCoarse = /^InTransit_Other$/i.test(subStatus) || (subStatus === '' && /^InTransit$/i.test(stage));
  return refined(meaningOfStatus(subStatus, stage), isCoarse, text);
}

/** Register again: it is charged once only. */
export const ALREADY_REGISTERED = '-18019901';
export const NOT_REGISTERED = '-18019902';
/** Only a stopped number can be tracked again. */
export const NOT_STOPPED = '-18019904';
/** Only a number that is tracked can be stopped. */
export const NOT_TRACKED = '-18019906';
/** A number is tracked again once only. */
export const RESTARTED_BEFORE = '-18019905';

/** The meanings of codes for a number, or for the whole call where the envelope has them. Any other is `unreadable`. */
const OUTCOMES = new Map(
  Object.entries<Failure | 'not_found'>({
    '-18010001': 'auth', // address not allowed
    '-18010002': 'auth',
    '-18010003': 'transient',
    '-18010004': 'auth', // account disabled
    '-18010005': 'auth',
    '-18010012': 'invalid_number',
    '-18010018': 'needs_input', // country
    '-18010019': 'needs_input', // postal code
    '-18010020': 'needs_input', // phone
    '-18010021': 'needs_input', // date
    '-18010022': 'needs_input',
    '-18019902': 'not_found', // not registered
    '-18019904': 'temporary', // tracking has not stopped
    '-18019905': 'temporary', // tracked again once before
    '-18019907': 'quota', // of the day
    '-18019908': 'quota',
    '-18019909': 'not_found', // registered, no news yet
    '401': 'auth',
    '403': 'auth',
    '429': 'rate_limited',
    '500': 'transient',
    '503': 'transient',
  }),
);

export function outcomeOf(code: string): Failure | 'not_found' {
  return OUTCOMES.get(code) ?? 'unreadable';
}

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
  evri: '100331',
  inpost: '100043',
  brt: '100026',
  chronopost: '100273',
  'mondial-relay': '100304',
  'colis-prive': '100027',
  tnt: '100004',
  seur: '100438',
  mrw: '100175',
  tipsa: '100185',
  packeta: '100132',
  asendia: '100029',
  'ctt-express': '100114',
  'ninja-van': '100597',
  'flash-express': '100235',
  'kerry-express': '100236',
  'jtexpress-id': '100074',
  'jtexpress-my': '100079',
  'jtexpress-ph': '100240',
  'jtexpress-sg': '100229',
  'jtexpress-th': '100271',
  delhivery: '100060',
  'blue-dart': '100055',
  xpressbees: '100101',
  ekart: '100056',
  aramex: '100006',
  fastway: '100068',
  estafeta: '100139',
  uniuni: '100134',
  veho: '101068',
  speedee: '100447',
  speedx: '190844',
  sendle: '100123',
  couriersplease: '100122',
  toll: '100009',
  imile: '190438',
  dtdc: '100069',
  'ecom-express': '100099',
  shadowfax: '100102',
  gati: '100717',
  trackon: '100180',
  'professional-couriers': '100279',
  'shree-maruti': '100357',
  safexpress: '100683',
  tcs: '100260',
  leopards: '100366',
  mnp: '100374',
  trax: '100505',
  paperfly: '100910',
  ghn: '100593',
  'viettel-post': '100611',
  'jtexpress-vn': '100456',
  jne: '100086',
  sicepat: '100590',
  anteraja: '100589',
  tiki: '100588',
  'lion-parcel': '100586',
  wahana: '100183',
  'id-express': '100511',
  'sap-express': '100344',
  lbc: '100264',
  '2go': '100354',
  gdex: '100150',
  'city-link': '100081',
  'skynet-my': '100192',
  'best-th': '100391',
  'nim-express': '100729',
  hanjin: '100266',
  lotte: '100506',
  logen: '100618',
  daesin: '100944',
  ilyang: '101179',
  seino: '100171',
  fukuyama: '100599',
  hct: '190466',
  'kerry-tj': '100704',
  cdek: '100030',
  boxberry: '100157',
  'pony-express': '100037',
  'nova-poshta': '100035',
  meest: '100023',
  speedy: '100198',
  econt: '100568',
  sameday: '100320',
  'fan-courier': '100629',
  cargus: '100174',
  acs: '100070',
  speedex: '100315',
  geniki: '100224',
  'elta-courier': '100179',
  foxpost: '100380',
  'express-one-hu': '100265',
  ppl: '100176',
  'sps-sk': '100407',
  'dhl-ecommerce-pl': '100226',
  geodis: '100356',
  'relais-colis': '100461',
  nacex: '100436',
  sda: '100019',
  venipak: '100218',
  matkahuolto: '100161',
  budbee: '100609',
  dao: '100148',
  helthjem: '100181',
  yurtici: '100348',
  aras: '100607',
  mng: '100608',
  surat: '100703',
  hepsijet: '100642',
  'trendyol-express': '100925',
  smsa: '100034',
  naqel: '100089',
  zajil: '100082',
  'jtexpress-sa': '100402',
  'jtexpress-ae': '100856',
  'jtexpress-eg': '100619',
  bosta: '100487',
  'courier-guy': '100184',
  'dawn-wing': '100288',
  andreani: '100497',
  oca: '100199',
  jadlog: '101052',
  loggi: '100457',
  'jtexpress-br': '100797',
  'jtexpress-mx': '100388',
  paquetexpress: '100147',
  redpack: '100138',
  '99minutos': '100477',
  chilexpress: '100278',
  starken: '100246',
  'blue-express': '100250',
  servientrega: '100495',
  coordinadora: '100493',
  startrack: '100335',
  'team-global-express': '100872',
  'aramex-au': '100044',
  'aramex-nz': '100067',
  'hunter-express': '100233',
  'direct-freight': '101066',
  'nz-couriers': '100592',
  'post-haste': '100268',
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
