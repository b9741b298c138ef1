import { type CarrierAnswer, FAILURES, type Found, type NotFound } from '@pts/core/tracking/answer';
import type { Proof, Scan } from '@pts/core/tracking/scan';
import type { Requested } from '../providers/manifest.ts';
import { classified, type ListedScan, type Meaning, type ReadScan } from '../texts/meaning.ts';
import { proofIn } from '../texts/proof.ts';
import { refinedByText } from '../texts/refine.ts';
import { placeParts } from '../time/place.ts';
import { resolveTime } from '../time/time.ts';
import { failed } from './body.ts';

/** How a provider's items, each about one parcel, are read. */
type Reading<T> = {
  provider: string;
  /** The numbers that an item names; it may name its parcel in several ways. */
  numbersOf(item: T): readonly string[];
  answerOf(item: T, requested: Requested): CarrierAnswer;
  /** Our code of the carrier that an item is of, if several carriers may have the number. */
  carrierOf?(item: T): string | null;
  /** The result for a number that no item is about; absent: the answer cannot be read. */
  missing?: NotFound;
};

/**
 * The answer for each requested number: by number, never by position. Of several items about a number, that of the
 * requested carrier counts, then the one with the newest scan.
 *
 * An answer about another number is never shown as this one's: if a single number was requested, a history of another
 * number is passed on with that number (`otherNumber`), which quarantines it: it counts only if it is still the same an
 * hour later, because carriers also give parcels new numbers. If several were requested, it is not known whose it is:
 * each number without an answer is unreadable.
 */
export function answersByNumber<T>(
  requested: readonly Requested[],
  items: readonly T[],
  reading: Reading<T>,
): CarrierAnswer[] {
  const named = namedIn(items, reading);
  const wanted = new Set(requested.map(({ number }) => comparable(number)));
  const others = named.filter(({ numbers }) => !numbers.some((number) => wanted.has(number)));
  return requested.map((each) => {
    const number = comparable(each.number);
    const own = number === '' ? named : named.filter(({ numbers }) => numbers.includes(number));
    const answer = best(own, each, reading)?.answer;
    if (answer) return answer;
    if (requested.length === 1) return ofAnother(best(others, each, reading), each, reading);
    const { provider, missing } = reading;
    const unreadable = failed('unreadable', `${provider} did not answer about ${each.number}`);
    return others.length > 0 ? unreadable : (missing ?? unreadable);
  });
}

/** Like `answersByNumber`, for an API that is asked about one number in each call. */
export function answerByNumber<T>(requested: Requested, items: readonly T[], reading: Reading<T>): CarrierAnswer {
  const [answer] = answersByNumber([requested], items, reading);
  return answer ?? failed('unreadable', `${reading.provider} did not answer about ${requested.number}`);
}

function namedIn<T>(items: readonly T[], { numbersOf }: Reading<T>): Named<T>[] {
  return items.map((item) => ({
    item,
    numbers: numbersOf(item)
      .filter((number) => number !== '')
      .map(comparable),
  }));
}

type Named<T> = { item: T; numbers: readonly string[] };
type Best = { answer: CarrierAnswer; numbers: readonly string[] } | undefined;

function best<T>(named: readonly Named<T>[], requested: Requested, { answerOf, carrierOf }: Reading<T>): Best {
  const answers = named.map(({ item, numbers }) => ({
    numbers,
    answer: answerOf(item, requested),
    isOfCarrier: carrierOf?.(item) === requested.carrier,
  }));
  const [first] = answers.toSorted(
    (a, b) => Number(b.isOfCarrier) - Number(a.isOfCarrier) || compareText(newsIn(b.answer), newsIn(a.answer)),
  );
  return first;
}

/** Sorts answers by their newest scan, then those with a status alone. */
function newsIn(answer: CarrierAnswer): string {
  if (answer.kind !== 'found') return '';
  return answer.scans.reduce((newest, { time }) => (time > newest ? time : newest), '0');
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The only number was not answered about: what there is names another one, or none. */
function ofAnother<T>(other: Best, { number }: Requested, { provider, missing }: Reading<T>): CarrierAnswer {
  if (other === undefined) return missing ?? failed('unreadable', `${provider} did not answer about ${number}`);
  const [named] = other.numbers;
  if (named === undefined) return other.answer;
  const { answer } = other;
  if (answer.kind === 'found' && answer.scans.length > 0) return { ...answer, otherNumber: named };
  return failed('unreadable', `${provider} answered about ${named}, and not about ${number}`);
}

/**
 * A refusal of the whole call. If one of several numbers is at fault, it is not known which: the poller divides
 * the call to find out.
 * @param status of the response; with 400, everything but trouble of the provider may be the fault of one number.
 */
export function refusedCall(requested: readonly Requested[], answer: CarrierAnswer, status = 200): CarrierAnswer[] {
  const whose = answer.kind === 'failed' ? FAILURES[answer.failure] : 'provider';
  const isOfOne = whose === 'merchant' || (status === 400 && whose === 'number');
  if (answer.kind !== 'failed' || !isOfOne || requested.length === 1) return requested.map(() => answer);
  return requested.map(() => ({ ...failed('temporary', answer.message), isOfOne: true }));
}

/**
 * Whether two numbers are the same: spaces, hyphens, case, leading zeros and the routing of USPS do not distinguish
 * them. If none was requested, any number matches: raw answers are also read without one.
 */
export function isSameNumber(answered: string, requested: string): boolean {
  return requested === '' || comparable(answered) === comparable(requested);
}

/** The routing that USPS may print before a number: 420 and the ZIP of the destination. Answers may leave it out. */
const ROUTING = /^420(?:\d{5}|\d{9})(?=9[1-5]\d{20}(?:\d{4}|\d{8}|\d{12})?$)/;

/** A number in the form in which it is compared. */
function comparable(number: string): string {
  return number
    .replace(/[\s-]/g, '')
    .toUpperCase()
    .replace(ROUTING, '')
    .replace(/^0{1,99}(?=.)/, '');
}

/** An answer's information about the whole parcel. */
type OfParcel = {
  [K in 'estimatedDelivery' | 'destination' | 'pickupPoint' | 'pieces' | 'isWatchEnded']?: Found[K] | undefined;
} & {
  /**
   * Its state, as the provider reports it besides the scans; a function of the newest scan's text if its code is
   * coarse.
   */
  state?: Meaning | undefined | ((newestText: string) => Meaning | undefined);
  /** When the parcel came into that state, as the provider writes it. */
  stateAt?: string | undefined;
  /** The proof of its delivery. */
  proof?: Proof | undefined;
};

const MOVES: Meaning = { status: 'in_transit' };
const ANNOUNCED: Meaning = { status: 'info_received' };

/**
 * The answer about one number from its scans, in the order in which they are listed.
 * - A scan means what its code and its text mean (`refinedByText`); a silent one, that the parcel moves; an
 *   informational one, the same as the newest scan before it.
 * - The state of the parcel counts beside its newest scan (`withState`); without scans it is the answer, and without a
 *   state, too, the number is not found.
 * - A scan whose time cannot be read (null) fails the answer, because a history with a hole would look complete; one
 *   without a time (`untimed`) is left out and counted.
 */
export function answerFrom(
  listed: readonly ListedScan[],
  provider: string,
  { state, stateAt = '', proof: ofDelivery, ...about }: OfParcel = {},
): CarrierAnswer {
  const read = listed.filter((scan) => scan !== 'untimed');
  const scans = read.filter((scan) => scan !== null).map(withFacts);
  if (scans.length < read.length) {
    const place = read.indexOf(null) + 1;
    return failed('unreadable', `${provider} returned a scan with an unreadable time (number ${place})`);
  }
  const untimed = listed.length - read.length || undefined;
  const known = Object.fromEntries(Object.entries({ ...about, untimed }).filter(([, value]) => value !== undefined));
  const stateOver = (text: string) => (typeof state === 'function' ? state(text) : state);
  if (scans.length === 0) {
    const parcelStatus = stateOver('')?.status;
    return parcelStatus ? { kind: 'found', scans: [], parcelStatus, ...known } : { kind: 'not_found' };
  }
  // Beside a state of papers alone, a text that says nothing is one about papers.
  const silent = stateOver('')?.status === 'info_received' ? ANNOUNCED : MOVES;
  const meanings = new Map(scans.map((each) => [each, ownMeaning(each, scans, silent)]));
  // Papers, such as a planned delivery, are not what the state of the parcel is about, if there is anything else.
  const relevant = scans.filter(({ meaning }) => meaning !== 'informational');
  const newest = newestOf(relevant.filter((each) => meanings.get(each)?.status !== 'info_received')) ?? newestOf(scans);
  const isLater = isAfter(stateAt, newestOf(relevant)?.scan.time ?? '');
  return {
    kind: 'found',
    ...known,
    scans: scans.map((each) => {
      const own = meanings.get(each) ?? MOVES;
      const state = each === newest ? stateOver(each.scan.description) : undefined;
      return withProof(withState(each.scan, own, state, isLater), each === newest ? ofDelivery : undefined);
    }),
  };
}

/** A read scan with the facts beside it: its texts without HTML, and only facts that are known. */
function withFacts({ scan, meaning, code = '', place, proof }: ReadScan): ReadScan {
  const parts = place && placeParts(place);
  return {
    meaning,
    scan: {
      ...scan,
      description: plainText(scan.description),
      ...(code !== '' && { code }),
      ...(parts && { place: parts }),
      ...(proof && { proof }),
    },
  };
}

/** A delivery with its proof: what the carrier states of it, then what its text says. */
function withProof(scan: Scan, stated: Proof | undefined): Scan {
  if ((scan.parcel?.status ?? scan.status) !== 'delivered') return scan;
  const proof = { ...proofIn(scan.description), ...scan.proof, ...stated };
  return Object.keys(proof).length === 0 ? scan : { ...scan, proof };
}

/** No zone is further ahead of UTC, or behind it. */
const MAX_OFFSET_MS = 14 * 3_600_000;

/** Whether a time, in any zone if it has no offset, is after another one in UTC. */
function isAfter(stated: string, time: string): boolean {
  const resolved = resolveTime(stated, 'UTC');
  if (resolved === null) return false;
  const doubtMs = resolved.zoneSource === 'carrier' ? 0 : MAX_OFFSET_MS;
  return Date.parse(resolved.time) - doubtMs > Date.parse(time);
}

function ownMeaning({ scan, meaning }: ReadScan, scans: readonly ReadScan[], silent: Meaning): Meaning {
  if (meaning === 'silent' || meaning === 'pending') {
    const other = meaning === 'pending' ? ANNOUNCED : silent;
    return refinedByText(STEP.test(scan.description) ? MOVES : other, scan.description);
  }
  if (meaning !== 'informational') return refinedByText(meaning, scan.description);
  const before = scans.filter((other) => other.meaning !== 'informational' && other.scan.time <= scan.time);
  const last = newestOf(before);
  return last ? ownMeaning(last, scans, silent) : MOVES;
}

/**
 * The newest scan. Of several in the same second, or minute, it is the one that is listed as the newest: most APIs list
 * that one first.
 */
function newestOf(scans: readonly ReadScan[]): ReadScan | undefined {
  const [first, last] = [scans[0]?.scan.time ?? '', scans.at(-1)?.scan.time ?? ''];
  const oldestFirst = first < last ? scans : scans.toReversed();
  return oldestFirst.reduce<ReadScan | undefined>(
    (best, next) => (best && best.scan.time > next.scan.time ? best : next),
    undefined,
  );
}

/** States in order of precedence: each counts against those above it. */
const ORDER: readonly string[] = [
  'info_received',
  'in_transit',
  'out_for_delivery',
  'available_for_pickup',
  'exception',
  'undeliverable',
  'refused',
  'delivered',
  'going_back',
  'returned',
];

/** Texts of a step on the way: a scan with one says where the parcel was. */
const STEP =
  /process|arriv|depart|\bleft\b(?! (?:at|in|with|on|by|behind)\b)|sort(?:ed|ing)|in transit|accepted|received|collected|picked up|clear|export|import|forward|transfer|tendered|loaded|scanned|flight|manifest|d[ei]spatch|en route|on (?:its|the) way|\bat (?:[a-z]{1,20} ){0,4}(?:facility|depot|hub|terminal|gateway|airport|warehouse|cent(?:re|er))|sortiert|transportiert|bearbeitet|eingeliefert|eingetroffen|verladen|weitergeleitet|unterwegs|pris en charge|achemin|收[件寄](?![人方])|揽收|到达|抵达|发往|发出|离开|运往|运输|中转|转运|分拣|装车|封发|清关|航班|起飞|[入出]库/i;

/**
 * The state of a parcel and its newest scan are two things, and may contradict each other. One rule for all carriers:
 * - a state that is not further along than the scan lags behind it. Trouble is further along than movement, a delivery
 *   than trouble, a return than a delivery;
 * - a scan keeps the status of its own code and text, and a state that is further along is kept beside it (`parcel`).
 *   Only a scan that says no more than that the parcel moves, without a step in its text, takes the state: nothing else
 *   is known about it (its own status is in `ownStatus`);
 * - a parcel that waits for pickup is not delivered before a scan says so: carriers count the delivery to the pickup
 *   point;
 * - the text of the newest scan also decides the state, because both have the same coarse code.
 * @param isLater whether the carrier dates the state after the scan; otherwise it may be doubted (`doubtedState`).
 */
export function withState(scan: ReadScan['scan'], own: Meaning, state: Meaning | undefined, isLater = false): Scan {
  if (state === undefined) return classified(scan, own);
  const ofParcel = refinedByText(state, scan.description);
  if (!isFurther(ofParcel, own)) return classified(scan, own);
  // A failed attempt is trouble, too, of which the state knows the kind.
  const isOfKind = own.status === 'exception' && own.course === undefined && ofParcel.status === 'undeliverable';
  if (isOfKind || (own.status === 'in_transit' && !STEP.test(scan.description))) {
    return { ...classified(scan, ofParcel), ownStatus: own.status };
  }
  // The course holds from this scan on, also if later answers do not repeat it; a delivered parcel turns back after the
  // scan.
  const { course = own.course } = own.status === 'delivered' ? own : ofParcel;
  return {
    ...classified(scan, course === undefined ? own : { ...own, course }),
    parcel: isLater ? { ...ofParcel, isLater } : ofParcel,
  };
}

function isFurther(state: Meaning, scan: Meaning): boolean {
  if (state.status === 'delivered' && scan.status === 'available_for_pickup') return false;
  return rank(state) > rank(scan);
}

function rank({ status, course }: Meaning): number {
  return ORDER.indexOf(course ?? status);
}

const BREAK = /<br ?\/?>/gi;
const TAG = /<\/?[a-z][^<>]{0,300}>/gi;
const ENTITY = /&(nbsp|amp|lt|gt|quot|apos|#39);/g;
const ENTITIES: Readonly<Record<string, string>> = {
  nbsp: ' ',
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
};

/** A text that a carrier wrote for its own web page, without the HTML. */
export function plainText(text: string): string {
  const untagged = text.replace(BREAK, ' ').replace(TAG, '');
  return untagged.replace(ENTITY, (_, name: string) => ENTITIES[name] ?? '');
}
