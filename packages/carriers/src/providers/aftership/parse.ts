import type { DeliveryWindow } from '@pts/core/estimates';
import type { CarrierAnswer, FailedAnswer, Failure, NotFound } from '@pts/core/tracking/answer';
import { answerFrom, answersByNumber, refusedCall } from '../../answer/answers.ts';
import { failed, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, isObject, type JsonObject, objectsIn, partOf, textOf } from '../../http/json.ts';
import { carriers, findCarrier } from '../../registry/registry.ts';
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
import { destinationAt, placeText } from '../../time/place.ts';
import { estimateOf, resolveTimeAt } from '../../time/time.ts';
import { type Requested, slugs } from '../manifest.ts';

const TITLE = 'AfterShip';
/** Refusals have their code in `meta`. */
const ANSWERS = [200, 201, 400, 404];

/** Reads the answer to one `GET /trackings`: those of the requested numbers that are registered. */
export function parseTrackings(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const read = bodyIn(outcome);
  if (read.kind !== 'body') return refusedCall(requested, read);
  const items = itemsIn(read.body);
  if (items === null) return requested.map(() => failed('unreadable', `${TITLE} responded without trackings`));
  return answersByNumber(requested, items, {
    provider: TITLE,
    numbersOf,
    answerOf: parseTracking,
    carrierOf: courierOf,
    missing: { kind: 'not_found', isUnregistered: true },
  });
}

/** The body of an answer, or what the code of its refusal means. */
export function bodyIn(outcome: HttpOutcome): { kind: 'body'; body: JsonObject } | FailedAnswer | NotFound {
  const read = jsonBody(outcome, TITLE, ANSWERS);
  if (read.kind === 'failed') return read;
  const meta = partOf(read.body, 'meta');
  const code = codeOf(meta, 'code');
  if (code === '' || /^20[01]$/.test(code)) return read;
  const failure = OUTCOMES.get(code) ?? 'unreadable';
  if (failure === 'not_found') return { kind: 'not_found' };
  return failed(failure, `${TITLE} responded with ${code}: ${textOf(meta, 'message')}`);
}

/** A list, a single tracking (in `data`, in older versions in `data.tracking`, in callbacks in `msg`), or null. */
function itemsIn(body: JsonObject): JsonObject[] | null {
  const { data = body.msg ?? body } = body;
  if (!isObject(data)) return null;
  if (Array.isArray(data.trackings)) return objectsIn(data, 'trackings');
  const item = isObject(data.tracking) ? data.tracking : data;
  return textOf(item, 'tag') === '' && textOf(item, 'tracking_number') === '' ? null : [item];
}

/** Very old answers have the number as title alone. */
function numbersOf(item: JsonObject): string[] {
  return [textOf(item, 'tracking_number') || textOf(item, 'title')];
}

function courierOf(item: JsonObject): string | null {
  return COURIERS.carrierOf(textOf(item, 'slug'));
}

/** Reads a tracking, from an answer or a callback. */
export function parseTracking(item: JsonObject, requested: Requested): CarrierAnswer {
  const state = meaningOfTag(textOf(item, 'subtag'), textOf(item, 'tag'), textOf(item, 'subtag_message'));
  const carrier = courierOf(item) ?? requested.carrier;
  const read = objectsIn(item, 'checkpoints').map((checkpoint) => scanOf(checkpoint, carrier));
  const stateAt = state?.status === 'delivered' ? textOf(item, 'shipment_delivery_date') : undefined;
  return answerFrom(read, TITLE, {
    state,
    stateAt,
    estimatedDelivery: estimateIn(item),
    proof: statedProof({ signedBy: textOf(item, 'signed_by'), place: textOf(item, 'delivery_location_type') }),
    ...destinationOf(item),
  });
}

function scanOf(checkpoint: JsonObject, carrier: string): ListedScan {
  const timeRaw = textOf(checkpoint, 'checkpoint_time');
  if (timeRaw === '') return 'untimed';
  const code = alpha2Of(textOf(checkpoint, 'country_region') || textOf(checkpoint, 'country_iso3')) ?? '';
  const name = textOf(checkpoint, 'country_region_name') || textOf(checkpoint, 'country_name');
  const partsWith = (country: string) =>
    placeText({ locality: textOf(checkpoint, 'city'), region: textOf(checkpoint, 'state'), country });
  const location = textOf(checkpoint, 'location') || partsWith(name || code);
  const ours = COURIERS.carrierOf(textOf(checkpoint, 'slug')) ?? carrier;
  const home = findCarrier(ours, { sandbox: true })?.country ?? '';
  const read = code === '' ? { locality: partsWith(name) || location } : { locality: partsWith(''), country: code };
  const place = { ...read, postalCode: textOf(checkpoint, 'zip') };
  const parts = { locality: textOf(checkpoint, 'city'), region: textOf(checkpoint, 'state'), country: code || name };
  const resolved = resolveTimeAt(timeRaw, place, [home]);
  if (resolved === null) return null;
  const description = textOf(checkpoint, 'message');
  const [subtag, tag] = [textOf(checkpoint, 'subtag'), textOf(checkpoint, 'tag')];
  const meaning = meaningOfCheckpoint(subtag, tag, textOf(checkpoint, 'subtag_message'), description);
  return { scan: { ...resolved, timeRaw, location, description }, meaning, place: parts, code: subtag || tag };
}

/** The latest estimate, otherwise the carrier's own. */
function estimateIn(item: JsonObject): DeliveryWindow | undefined {
  for (const name of ['latest_estimated_delivery', 'courier_estimated_delivery']) {
    const estimate = partOf(item, name);
    const single = textOf(estimate, 'datetime');
    const [from, to] = [textOf(estimate, 'datetime_min') || single, textOf(estimate, 'datetime_max') || single];
    if (from !== '' || to !== '') return estimateOf(from, to, {});
  }
  const single = textOf(item, 'expected_delivery');
  return single === '' ? undefined : estimateOf(single, single, {});
}

/** Tags and subtags. Without one: `Pending` and `Expired`. */
const meaningOfCode = codeTable({
  InfoReceived: 'info_received',
  InTransit: 'in_transit',
  OutForDelivery: 'out_for_delivery',
  AttemptFail: undeliverable('failed_attempt'),
  AttemptFail_002: undeliverable('recipient_unavailable'),
  AttemptFail_003: undeliverable('recipient_unavailable'), // business closed
  AvailableForPickup: 'available_for_pickup',
  Delivered: 'delivered',
  Exception: 'exception', // any kind
  Exception_002: 'address', // moved
  Exception_003: REFUSED,
  Exception_004: 'customs',
  Exception_005: 'delayed',
  Exception_006: 'payment',
  Exception_007: 'address',
  Exception_010: GOING_BACK,
  Exception_011: 'returned',
  Exception_012: 'damaged',
  Exception_013: 'lost',
});

/**
 * The meaning of a subtag and tag; undefined for those that say nothing about the parcel. The numbers of subtags have
 * changed over the years; the wording of a return (`subtag_message`) has not.
 */
export function meaningOfTag(subtag: string, tag: string, subtagMessage: string): Meaning | undefined {
  if (/^returned to sender$/i.test(subtagMessage)) return { status: 'returned' };
  if (/^returning to sender$/i.test(subtagMessage)) return GOING_BACK;
  return meaningOfCode(subtag) ?? meaningOfCode(subtag.replace(/_\d+$/, '')) ?? meaningOfCode(tag);
}

export function meaningOfCheckpoint(
  subtag: string,
  tag: string,
  subtagMessage: string,
  text: string,
): ReadScan['meaning'] {
  if (/^Pending$/i.test(tag)) return refinedPending(text);
  const isCoarse = /^InTransit$/i.test(tag) && !/^InTransit_00[2-9]$/i.test(subtag);
  return refined(meaningOfTag(subtag, tag, subtagMessage), isCoarse, text);
}

export const ALREADY_REGISTERED = '4003';

/** The meanings of codes (`meta.code`). Any other is `unreadable`. */
const OUTCOMES = new Map(
  Object.entries<Failure | 'not_found'>({
    '401': 'auth',
    '402': 'quota',
    '403': 'auth',
    '404': 'not_found',
    '429': 'rate_limited',
    '500': 'transient',
    '502': 'transient',
    '503': 'transient',
    '504': 'transient',
    '4004': 'not_found',
    '4005': 'invalid_number',
    '4007': 'invalid_number', // none given
    '4011': 'needs_input',
    '4012': 'not_found', // carrier not detected
    '4017': 'invalid_number',
  }),
);

/** AfterShip's slugs of our carriers, as its plugin for WooCommerce lists them; it finds the others by the number. */
// biome-ignore format: a region per paragraph is readable as a table
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
  // South and South-east Asia
  dtdc: 'dtdc', xpressbees: 'xpressbees', ekart: 'ekart', 'ecom-express': 'ecom-express', shadowfax: 'shadowfax',
  trackon: 'trackon', 'professional-couriers': 'professional-couriers', 'shree-maruti': 'shree-maruti',
  safexpress: 'safexpress', 'blue-dart': 'bluedart', tcs: 'tcs', paperfly: 'paperfly', ghn: 'ghn',
  'viettel-post': 'viettelpost', 'jtexpress-my': 'jtexpress', 'jtexpress-ph': 'jtexpress-ph', 'jtexpress-vn': 'jtexpress-vn',
  jne: 'jne', anteraja: 'anteraja', tiki: 'tiki', 'lion-parcel': 'lion-parcel', wahana: 'wahana', 'id-express': 'idexpress',
  'sap-express': 'sap-express', lbc: 'lbcexpress', '2go': '2go', gdex: 'gdex', 'city-link': 'citylinkexpress',
  'skynet-my': 'skynet', 'nim-express': 'nim-express', 'flash-express': 'flashexpress', 'kerry-express': 'kerry-logistics',
  // East Asia
  hanjin: 'hanjin', lotte: 'lotte', ilyang: 'ilyanglogis', seino: 'seino', hct: 'hct-logistics', 'kerry-tj': 'kerrytj',
  't-cat': 't-cat',
  // Europe and the Near East
  cdek: 'cdek', boxberry: 'box-berry', 'pony-express': 'pony-express', 'nova-poshta': 'nova-poshta', meest: 'meest',
  speedy: 'speedy', acs: 'acscourier', geniki: 'taxydromiki', 'elta-courier': 'elta-courier', packeta: 'packeta',
  'relais-colis': 'relaiscolis', venipak: 'venipak', matkahuolto: 'matkahuolto', helthjem: 'helthjem', 'dpd-uk': 'dpd-uk',
  'hermes-de': 'hermes-de', aras: 'araskargo', mng: 'mng-kargo', hepsijet: 'hepsijet', smsa: 'smsa-express',
  naqel: 'naqel-express', zajil: 'zajil-express',
  // Africa, Latin America, Oceania
  'courier-guy': 'thecourierguy', 'dawn-wing': 'dawnwing', andreani: 'andreani', loggi: 'loggi', estafeta: 'estafeta',
  paquetexpress: 'paquetexpress', '99minutos': '99minutos', chilexpress: 'chilexpress', starken: 'starken',
  'blue-express': 'bluex', servientrega: 'servientrega', coordinadora: 'coordinadora', startrack: 'star-track',
  couriersplease: 'couriers-please', 'aramex-au': 'fastway-au', 'hunter-express': 'hunter-express',
  'direct-freight': 'directfreight-au', 'nz-couriers': 'newzealand-couriers', sendle: 'sendle',
};

/** The carriers that AfterShip serves, and its slugs; '' where it finds the carrier by the number. */
export const COURIERS = slugs(
  Object.fromEntries(carriers({ sandbox: false }).map(({ code }) => [code, NAMED[code] ?? ''])),
);

/** ISO 3166-1 alpha-3 codes that begin with the alpha-2 code of their country, and alpha-2 codes with the others. */
const SAME_BEGINNING =
  'AFG AIA ALB ARG ASM AUS AZE BEL BFA BGR BHR BLM BMU BOL BRA BTN BVT BWA CAN CCK CHE CIV CMR COL CRI CUB CXR CYP ' +
  'CZE DEU DJI DMA DOM DZA ECU EGY ERI ESP ETH FIN FJI FRA GAB GBR GEO GGY GHA GIB GMB GRC GTM GUM HKG HMD HND HRV ' +
  'HTI HUN IDN IMN IND IOT IRN ISL ITA JEY JOR JPN KEN KGZ KHM KIR KNA KWT LAO LBN LCA LIE LKA LSO LTU LUX LVA MAR ' +
  'MCO MDA MHL MKD MLI MMR MNG MRT MSR MUS MWI MYS NAM NCL NER NFK NGA NIC NLD NOR NPL NRU NZL OMN PAN PER PHL PRI ' +
  'PSE QAT REU ROU RUS RWA SAU SDN SGP SHN SJM SLE SMR SOM SSD STP SXM SYR TCA TGO THA TJK TKL TLS TON TTO TWN TZA ' +
  'UGA UMI USA UZB VAT VCT VEN VGB VIR VNM VUT WSM YEM ZAF ZMB ZWE';
const OTHERS =
  'ADAND AEARE AGATG AMARM AOAGO AQATA ATAUT AWABW AXALA BABIH BBBRB BDBGD BIBDI BJBEN BNBRN BQBES BSBHS BYBLR ' +
  'BZBLZ CDCOD CFCAF CGCOG CKCOK CLCHL CNCHN CVCPV CWCUW DKDNK EEEST EHESH FKFLK FMFSM FOFRO GDGRD GFGUF GLGRL ' +
  'GNGIN GPGLP GQGNQ GSSGS GWGNB GYGUY IEIRL ILISR IQIRQ JMJAM KMCOM KPPRK KRKOR KYCYM KZKAZ LRLBR LYLBY MEMNE ' +
  'MFMAF MGMDG MOMAC MPMNP MQMTQ MTMLT MVMDV MXMEX MZMOZ NUNIU PFPYF PGPNG PKPAK PLPOL PMSPM PNPCN PTPRT PWPLW ' +
  'PYPRY RSSRB SBSLB SCSYC SESWE SISVN SKSVK SNSEN SRSUR SVSLV SZSWZ TDTCD TFATF TMTKM TNTUN TRTUR TVTUV UAUKR ' +
  'UYURY WFWLF YTMYT';

const ALPHA_3 = new Map([
  ...SAME_BEGINNING.split(' ').map((code) => [code.slice(0, 2), code] as const),
  ...OTHERS.split(' ').map((codes) => [codes.slice(0, 2), codes.slice(2)] as const),
]);

/**
 * The ISO 3166-1 alpha-3 code of a country by its alpha-2 code, the only form that AfterShip accepts; undefined for no
 * country.
 */
export function alpha3Of(alpha2: string): string | undefined {
  return ALPHA_3.get(alpha2.toUpperCase());
}

const ALPHA_2 = new Map([...ALPHA_3].map(([alpha2, alpha3]) => [alpha3, alpha2]));

/** The alpha-2 code of a country that AfterShip names; undefined for one that it does not name by its alpha-3 code. */
function alpha2Of(alpha3: string): string | undefined {
  return ALPHA_2.get(alpha3.toUpperCase());
}

/** The destination in a tracking: in parts, otherwise as the carrier writes it. */
function destinationOf(item: JsonObject): { destination?: string } {
  const [locality, region] = [textOf(item, 'destination_city'), textOf(item, 'destination_state')];
  const named = textOf(item, 'destination_country_region') || textOf(item, 'destination_country_iso3');
  const country = alpha2Of(named) ?? named;
  const raw = textOf(item, 'destination_raw_location');
  return destinationAt(raw !== '' && locality === '' ? { locality: raw } : { locality, region, country });
}
