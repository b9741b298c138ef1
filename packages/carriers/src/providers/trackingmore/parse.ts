import type { CarrierAnswer, FailedAnswer, Failure, NotFound } from '@pts/core/tracking/answer';
import { answerFrom, answersByNumber, refusedCall } from '../../answer/answers.ts';
import { failed, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, isObject, type JsonObject, objectsIn, partOf, textOf } from '../../http/json.ts';
import { findCarrier } from '../../registry/registry.ts';
import {
  codeTable,
  GOING_BACK,
  type ListedScan,
  type Meaning,
  REFUSED,
  type ReadScan,
  undeliverable,
} from '../../texts/meaning.ts';
import { statedProof } from '../../texts/proof.ts';
import { refined, refinedPending } from '../../texts/reader.ts';
import { destinationAt, type Place, placeText } from '../../time/place.ts';
import { estimateOf, resolveTimeAt } from '../../time/time.ts';
import { type Requested, slugs } from '../manifest.ts';

const TITLE = 'TrackingMore';
/** Refusals of numbers have status 400, with the code in `meta`. */
const ANSWERS = [200, 201, 400];
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Reads the answer to one `GET /trackings/get`: those of the requested numbers that are registered. */
export function parseTrackings(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const data = dataIn(outcome);
  if (data.kind !== 'data') return refusedCall(requested, data);
  if (data.items === null) return requested.map(() => failed('unreadable', `${TITLE} responded without trackings`));
  return answersByNumber(requested, data.items, {
    provider: TITLE,
    numbersOf: (item) => [textOf(item, 'tracking_number')],
    answerOf: parseTracking,
    carrierOf: courierOf,
    missing: { kind: 'not_found', isUnregistered: true },
  });
}

/** `data` of an answer: a list, a single tracking or the result of each number; otherwise null. */
export type Data = { kind: 'data'; items: JsonObject[] | null; data: JsonObject };

/** The envelope of every call, or what its refusal means. */
export function dataIn(outcome: HttpOutcome): Data | FailedAnswer | NotFound {
  const read = jsonBody(outcome, TITLE, ANSWERS);
  if (read.kind === 'failed') return read;
  const { body } = read;
  const meta = partOf(body, 'meta');
  const code = codeOf(meta, 'code');
  if (code !== '' && !/^20[01]$/.test(code)) return refusal(code, textOf(meta, 'message'));
  return { kind: 'data', items: itemsIn(body), data: partOf(body, 'data') };
}

function itemsIn(body: JsonObject): JsonObject[] | null {
  const { data = body } = body;
  if (Array.isArray(data)) return data.filter(isObject);
  if (!isObject(data)) return null;
  const list = ['success', 'items'].find((name) => Array.isArray(data[name]));
  if (list !== undefined) return objectsIn(data, list);
  return isObject(data.origin_info) || textOf(data, 'tracking_number') !== '' ? [data] : null;
}

/** A refused call or number. */
export function refusal(code: string, message: string): FailedAnswer | NotFound {
  const outcome = OUTCOMES.get(code) ?? 'unreadable';
  return outcome === 'not_found'
    ? { kind: 'not_found', ...(code === NOT_REGISTERED && { isUnregistered: true }) }
    : failed(outcome, `${TITLE} responded with ${code || 'no code'}: ${message}`);
}

function courierOf(item: JsonObject): string | null {
  return COURIERS.carrierOf(textOf(item, 'courier_code') || textOf(item, 'carrier_code'));
}

/** Reads a tracking, from an answer or a callback. The checkpoints of origin and destination are one history. */
export function parseTracking(item: JsonObject, requested: Requested): CarrierAnswer {
  const carrier = courierOf(item) ?? requested.carrier;
  const status = textOf(item, 'delivery_status') || textOf(item, 'status');
  const state = meaningOfStatus(textOf(item, 'substatus'), status);
  const read = ['origin_info', 'destination_info']
    .flatMap((leg) => {
      const info = partOf(item, leg);
      const mover = courierOf(info) ?? carrier;
      return objectsIn(info, 'trackinfo').map((checkpoint) => scanOf(checkpoint, mover));
    })
    .concat(objectsIn(item, 'track_info').map((checkpoint) => scanOf(checkpoint, carrier)));
  const day = textOf(item, 'scheduled_delivery_date') || textOf(item, 'expected_delivery');
  const estimatedDelivery = estimateOf(day, day, { country: textOf(item, 'destination_country') });
  const destination: Place = {
    locality: textOf(item, 'destination_city'),
    region: textOf(item, 'destination_state'),
    country: textOf(item, 'destination_country'),
  };
  const proof = statedProof({ signedBy: textOf(item, 'signed_by') });
  return answerFrom(read, TITLE, { state, estimatedDelivery, proof, ...destinationAt(destination) });
}

/** The names in brackets are from older answers. */
function scanOf(checkpoint: JsonObject, carrier: string): ListedScan {
  const [time, description, location] = [
    textOf(checkpoint, 'checkpoint_date') || textOf(checkpoint, 'Date'),
    textOf(checkpoint, 'tracking_detail') || textOf(checkpoint, 'StatusDescription'),
    textOf(checkpoint, 'location') || textOf(checkpoint, 'Details'),
  ];
  if (time === '') return 'untimed';
  const country = findCarrier(carrier, { sandbox: true })?.country ?? '';
  const place = placeOf(checkpoint, location);
  const resolved = resolveTimeAt(DATE.test(time) ? `${time} 00:00:00` : time, place, [country]);
  if (resolved === null) return null;
  const parts = { ...place, locality: textOf(checkpoint, 'city') };
  const status = textOf(checkpoint, 'checkpoint_delivery_status') || textOf(checkpoint, 'checkpoint_status');
  const substatus = textOf(checkpoint, 'checkpoint_delivery_substatus');
  const meaning = meaningOfCheckpoint(substatus, status, description);
  return {
    scan: { ...resolved, timeRaw: time, location: location || placeText(place), description },
    meaning,
    place: parts,
    code: substatus || status,
  };
}

/** The country has a field of its own; the text may end with it as well. */
function placeOf(checkpoint: JsonObject, location: string): Place {
  const country = textOf(checkpoint, 'country_iso2').toUpperCase();
  const region = textOf(checkpoint, 'state').toUpperCase();
  const postalCode = textOf(checkpoint, 'zip');
  return country === ''
    ? { locality: location, postalCode }
    : { locality: textOf(checkpoint, 'city') || location, region, country, postalCode };
}

/** Statuses (`delivery_status`) and sub-statuses. Without one: `pending`, `notfound` and `expired`. */
const meaningOfCode = codeTable({
  inforeceived: 'info_received',
  transit: 'in_transit',
  // Out with the courier, unless a sub-status says that it waits.
  pickup: 'out_for_delivery',
  pickup002: 'available_for_pickup',
  undelivered: 'undeliverable', // any kind
  undelivered001: undeliverable('address'),
  undelivered002: undeliverable('recipient_unavailable'),
  undelivered003: undeliverable('address'), // the recipient cannot be found
  delivered: 'delivered',
  exception: 'exception', // any kind
  exception004: 'exception', // not collected
  exception006: 'customs',
  exception007: 'exception', // lost or damaged
  exception008: 'cancelled',
  exception009: REFUSED,
  exception010: 'returned',
  exception011: GOING_BACK,
});

/** The meaning of a sub-status or status; undefined for those that say nothing about the parcel. */
export function meaningOfStatus(subStatus: string, status: string): Meaning | undefined {
  return meaningOfCode(subStatus) ?? meaningOfCode(subStatus.replace(/\d{1,9}$/, '')) ?? meaningOfCode(status);
}

export function meaningOfCheckpoint(subStatus: string, status: string, text: string): ReadScan['meaning'] {
  if (/^(?:pending|notfound)$/i.test(status)) return refinedPending(text);
  const isCoarse = /^transit$/i.test(status) && !/^transit\d/i.test(subStatus);
  return refined(meaningOfStatus(subStatus, status), isCoarse, text);
}

export const ALREADY_REGISTERED = '4101';
const NOT_REGISTERED = '4102';

/** The meanings of codes for a call (`meta.code`) or a number (`errorCode`). Any other code is `unreadable`. */
const OUTCOMES = new Map(
  Object.entries<Failure | 'not_found'>({
    '203': 'auth', // no paid plan
    '401': 'auth',
    '403': 'auth',
    '4001': 'auth',
    '4002': 'auth', // key deleted
    '429': 'rate_limited',
    '4102': 'not_found', // not registered
    '4110': 'invalid_number',
    '4111': 'invalid_number', // none given
    '4121': 'not_found', // carrier not detected
    '4122': 'needs_input',
    '4190': 'quota',
    '500': 'transient',
    '503': 'transient',
    '511': 'transient',
    '512': 'transient',
    '513': 'transient',
  }),
);

/** TrackingMore's `courier_code` of our carriers; 51Tracking has the same. */
export const COURIERS = slugs({
  // China
  'sf-express': 'sf-express',
  yto: 'yto',
  zto: 'zto',
  sto: 'sto',
  yunda: 'yunda',
  jd: 'jd',
  jtexpress: 'jtexpress',
  'china-ems': 'china-ems',
  'china-post': 'china-post',
  'best-express': 'bestex',
  deppon: 'deppon',
  tiantian: 'ttkd',
  cainiao: 'cainiao',
  yunexpress: 'yunexpress',
  yanwen: 'yanwen',
  '4px': '4px',
  cnexps: 'cnexps',
  sunyou: 'sunyou',
  sfc: 'sfcservice',
  wanb: 'wanbexpress',
  jcex: 'jcex',
  // Express
  ups: 'ups',
  fedex: 'fedex',
  dhl: 'dhl',
  tnt: 'tnt',
  dpd: 'dpd',
  gls: 'gls',
  yamato: 'taqbin-jp',
  sagawa: 'sagawa',
  ontrac: 'ontrac',
  lasership: 'lasership',
  yodel: 'yodel',
  purolator: 'purolator',
  canpar: 'canpar',
  'dhl-paket': 'dhl-germany',
  colissimo: 'colissimo',
  chronopost: 'chronopost',
  'mondial-relay': 'mondialrelay',
  parcelforce: 'parcel-force',
  'dpd-uk': 'dpd-uk',
  'hermes-de': 'hermes-de',
  inpost: 'inpost-paczkomaty',
  'correos-express': 'correosexpress',
  aramex: 'aramex',
  'ninja-van': 'ninjavan',
  delhivery: 'delhivery',
  'blue-dart': 'bluedart',
  ekart: 'ekart',
  xpressbees: 'xpressbees',
  toll: 'toll',
  couriersplease: 'couriers-please',
  sendle: 'sendle',
  estafeta: 'estafeta',
  // Posts
  usps: 'usps',
  'royal-mail': 'royal-mail',
  'canada-post': 'canada-post',
  'australia-post': 'australia-post',
  'japan-post': 'japan-post',
  postnord: 'postnord',
  'austrian-post': 'austria-post',
  bpost: 'bpost',
  'correios-brazil': 'brazil-correios',
  'bulgarian-posts': 'bulgaria-post',
  'croatian-post': 'hrvatska-posta',
  'cyprus-post': 'cyprus-post',
  'czech-post': 'czech-post',
  omniva: 'omniva',
  posti: 'finland-posti',
  'la-poste': 'laposte',
  'deutsche-post': 'deutsche-post',
  elta: 'greece-post',
  'hongkong-post': 'hong-kong-post',
  'magyar-posta': 'magyar-posta',
  'iceland-post': 'iceland-post',
  'india-post': 'india-post',
  'pos-indonesia': 'indonesia-post',
  'an-post': 'an-post',
  'israel-post': 'israel-post',
  'poste-italiane': 'poste-italiane',
  'korea-post': 'korea-post',
  'latvia-post': 'latvijas-pasts',
  'lithuania-post': 'lietuvos-pastas',
  'pos-malaysia': 'malaysia-post',
  'correos-mexico': 'correos-mexico',
  postnl: 'postnl-parcels',
  'new-zealand-post': 'new-zealand-post',
  'posten-norge': 'posten-norge',
  phlpost: 'phlpost',
  'poczta-polska': 'poczta-polska',
  ctt: 'portugal-ctt',
  'posta-romana': 'posta-romana',
  'russian-post': 'russian-post',
  'singapore-post': 'singapore-post',
  'slovak-post': 'slovakia-post',
  'slovenia-post': 'slovenia-post',
  'south-african-post': 'south-africa-post',
  'correos-spain': 'correos-spain',
  'swiss-post': 'swiss-post',
  'chunghwa-post': 'taiwan-post',
  'thailand-post': 'thailand-post',
  ptt: 'ptt-posta',
  ukrposhta: 'ukraine-post',
  'vietnam-post': 'vietnam-post',
});
