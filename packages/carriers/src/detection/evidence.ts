import { findCarrier } from '../registry/registry.ts';
import type { Match } from './detect.ts';

/** First answers about similar numbers, by carrier, decayed. */
export type Finds = Readonly<Record<string, number>>;

/** Knowledge about a number besides its form. */
export type NumberEvidence = {
  /** First answers about numbers with this prefix. */
  finds?: Finds;
  /** First answers about numbers of this length that the same account registered. */
  accountFinds?: Finds;
  /** The countries of the destination and of the phone: ISO 3166-1 alpha-2. */
  countries?: readonly string[];
};

const PREFIX_LENGTH = 6;
/** This many finds are full evidence ... */
const ENOUGH_FINDS = 5;
/** ... and this share of them makes a carrier certain. */
const CLEAR_SHARE = 0.9;
/** The most that each kind of evidence adds to a confidence, and the limit: from 70 on, only the form decides. */
const MAX_LIFT = 25;
const LIFTED_TO = 69;

/** The common prefix of numbers for learning: their length and their first six characters. */
export function prefixOf(number: string): string {
  return `${number.length}:${number.slice(0, PREFIX_LENGTH)}`;
}

/** The common prefix of an account's numbers for learning: their length. */
export function lengthOf(number: string): string {
  return `${number.length}:`;
}

/** The matches with what finds add, best first. A match with a wrong check digit gains nothing. */
export function liftedByFinds(matches: readonly Match[], { finds = {}, accountFinds = {} }: NumberEvidence): Match[] {
  return [finds, accountFinds].reduce((all, each) => liftedBy(all, gainOf(each)), [...matches]);
}

/** The matches with what the countries add to the carriers at home there, best first. */
export function liftedByCountry(matches: readonly Match[], countries: readonly string[]): Match[] {
  const isAtHome = (carrier: string) => countries.includes(findCarrier(carrier, { sandbox: false })?.country ?? '');
  return liftedBy(matches, (carrier) => (isAtHome(carrier) ? MAX_LIFT : 0));
}

function gainOf(finds: Finds): (carrier: string) => number {
  const total = totalOf(finds);
  const evidence = Math.min(1, total / ENOUGH_FINDS);
  return (carrier) => (total === 0 ? 0 : MAX_LIFT * evidence * (findsOf(finds, carrier) / total));
}

function liftedBy(matches: readonly Match[], gain: (carrier: string) => number): Match[] {
  return matches
    .map((match) => {
      const raised = Math.min(LIFTED_TO, Math.round(match.confidence + (match.isTypo ? 0 : gain(match.carrier))));
      return { ...match, confidence: Math.max(match.confidence, raised) };
    })
    .sort((a, b) => b.confidence - a.confidence);
}

/**
 * The match that earlier finds make certain: nearly all finds are of its carrier, and no check digit favors another
 * one.
 * @param likely matches whose check digits, if any, are valid.
 */
export function provenBy(likely: readonly Match[], finds: Finds): string | null {
  const total = totalOf(finds);
  const proven = likely.find(({ carrier }) => findsOf(finds, carrier) / total >= CLEAR_SHARE);
  if (!proven || total < ENOUGH_FINDS) return null;
  const isContradicted = likely.some((match) => match.carrier !== proven.carrier && hasCheckDigit(match));
  return isContradicted && !hasCheckDigit(proven) ? null : proven.carrier;
}

function hasCheckDigit({ format }: Match): boolean {
  return format?.[3] !== undefined;
}

function findsOf(finds: Finds, carrier: string): number {
  return Object.hasOwn(finds, carrier) ? (finds[carrier] ?? 0) : 0;
}

function totalOf(finds: Finds): number {
  return Object.values(finds).reduce((sum, count) => sum + count, 0);
}

/**
 * The countries that a destination and a phone with its country's code name. Other phones say nothing: most are given
 * as four digits, or as they are dialled at home.
 */
export function countriesOf({ destination, phone }: { destination?: string | undefined; phone?: string | undefined }) {
  const digits = /^\s*(?:\(?\+|00)\s*(\d[\d ().-]{6,30})$/.exec(phone ?? '')?.[1]?.replace(/\D/g, '') ?? '';
  const codes = [1, 2, 3].map((length) => digits.slice(0, length));
  const called = codes.flatMap((code) => COUNTRIES_OF_CODE.get(code) ?? []);
  return [...new Set([...(destination ? [destination.toUpperCase()] : []), ...called])];
}

/** The calling codes of countries (ITU-T E.164); the others in 1 and 7 have no carriers of their own. */
const CALLING_CODES =
  'AD376 AE971 AF93 AL355 AM374 AO244 AR54 AT43 AU61 AZ994 BA387 BD880 BE32 BF226 BG359 BH973 BI257 BJ229 BN673 BO591 ' +
  'BR55 BT975 BW267 BY375 BZ501 CA1 CD243 CF236 CG242 CH41 CI225 CL56 CM237 CN86 CO57 CR506 CU53 CV238 CY357 CZ420 ' +
  'DE49 DJ253 DK45 DZ213 EC593 EE372 EG20 ER291 ES34 ET251 FI358 FJ679 FR33 GA241 GB44 GE995 GH233 GM220 GN224 GQ240 ' +
  'GR30 GT502 GW245 GY592 HK852 HN504 HR385 HT509 HU36 ID62 IE353 IL972 IN91 IQ964 IR98 IS354 IT39 JO962 JP81 KE254 ' +
  'KG996 KH855 KI686 KM269 KP850 KR82 KW965 KZ7 LA856 LB961 LI423 LK94 LR231 LS266 LT370 LU352 LV371 LY218 MA212 ' +
  'MC377 MD373 ME382 MG261 MK389 ML223 MM95 MN976 MO853 MR222 MT356 MU230 MV960 MW265 MX52 MY60 MZ258 NA264 NE227 ' +
  'NG234 NI505 NL31 NO47 NP977 NR674 NZ64 OM968 PA507 PE51 PG675 PH63 PK92 PL48 PT351 PY595 QA974 RO40 RS381 RU7 ' +
  'RW250 SA966 SB677 SC248 SD249 SE46 SG65 SI386 SK421 SL232 SM378 SN221 SO252 SR597 SS211 ST239 SV503 SY963 SZ268 ' +
  'TD235 TG228 TH66 TJ992 TL670 TM993 TN216 TO676 TR90 TV688 TW886 TZ255 UA380 UG256 US1 UY598 UZ998 VE58 VN84 VU678 ' +
  'WS685 YE967 ZA27 ZM260 ZW263';

const COUNTRIES_OF_CODE = new Map<string, string[]>();
for (const each of CALLING_CODES.split(' ')) {
  const [country, code] = [each.slice(0, 2), each.slice(2)];
  COUNTRIES_OF_CODE.set(code, [...(COUNTRIES_OF_CODE.get(code) ?? []), country]);
}
