import { type CarrierAnswer, FAILURES } from '@pts/core/tracking/answer';
import type { DeliveryWindow } from '@pts/core/tracking/estimate';
import type { Scan } from '@pts/core/tracking/scan';
import { classified, type Meaning } from '../scans/meaning.ts';
import { failed } from './failure.ts';
import type { Asked } from './manifest.ts';

/** `unspoken`: only that the parcel moves. `informational`: news about papers; the parcel stays as it is. */
export type ReadMeaning = Meaning | 'unspoken' | 'informational';
export type ReadScan = {
  scan: Omit<Scan, 'status' | 'course'>;
  meaning: ReadMeaning;
  /** Read from a text, although the state of the parcel is a code: that code decides for the newest scan. */
  isCoarse?: boolean;
};

/** What an answer says about the whole parcel. */
type OfParcel = {
  /** Its state. The newest scan has that status, unless its own is more specific. */
  ofParcel?: Meaning | undefined;
  estimatedDelivery?: DeliveryWindow | undefined;
  /** Where it goes. */
  destination?: string | undefined;
};

const MOVES: Meaning = { status: 'in_transit' };

/**
 * The history of one number from its scans, in any order. Without scans, the state of the parcel is the answer; without a state,
 * too, the number is not found. A scan that cannot be read (null) fails the answer, because a history with a hole would look
 * complete.
 */
export function answerFrom(
  read: readonly (ReadScan | null)[],
  provider: string,
  { ofParcel, estimatedDelivery, destination }: OfParcel = {},
): CarrierAnswer {
  const scans = read.filter((scan) => scan !== null);
  if (scans.length < read.length) {
    const place = read.indexOf(null) + 1;
    return failed('unreadable', `${provider} answered a scan with an unreadable time (number ${place})`);
  }
  if (scans.length === 0) {
    return ofParcel ? { kind: 'found', scans: [], parcelStatus: ofParcel.status } : { kind: 'not_found' };
  }
  const newest = newestOf(scans);
  return {
    kind: 'found',
    ...(estimatedDelivery && { estimatedDelivery }),
    ...(destination && { destination }),
    scans: scans.map((each) => {
      const own = ownMeaning(each, scans);
      const isTold = each.meaning !== 'unspoken' && !each.isCoarse;
      const isDecided = isTold && !isOlderThan(own, ofParcel);
      if (each !== newest || isDecided || ofParcel === undefined) return classified(each.scan, own);
      return { ...classified(each.scan, ofParcel), ownStatus: own.status };
    }),
  };
}

/**
 * The last scan before a delivery, or the announcement alone, may be the only listed scan although more is known about the
 * parcel.
 */
function isOlderThan({ status }: Meaning, ofParcel: Meaning | undefined): boolean {
  if (status === 'info_received') return ofParcel !== undefined && ofParcel.status !== status;
  return ofParcel?.status === 'delivered' && (status === 'in_transit' || status === 'out_for_delivery');
}

/** An informational scan has the meaning of the newest scan before it that has one. */
function ownMeaning({ scan, meaning }: ReadScan, scans: readonly ReadScan[]): Meaning {
  if (meaning === 'unspoken') return MOVES;
  if (meaning !== 'informational') return meaning;
  const before = scans.filter((other) => other.meaning !== 'informational' && other.scan.time <= scan.time);
  const last = newestOf(before);
  return last ? ownMeaning(last, scans) : MOVES;
}

/** Of several in the same second, or minute, the one that is listed as the newest. */
function newestOf(scans: readonly ReadScan[]): ReadScan | undefined {
  const [first, last] = [scans[0]?.scan.time ?? '', scans.at(-1)?.scan.time ?? ''];
  const oldestFirst = first < last ? scans : scans.toReversed();
  return oldestFirst.reduce<ReadScan | undefined>(
    (best, next) => (best && best.scan.time > next.scan.time ? best : next),
    undefined,
  );
}

/** What an answer says about one number, which it may name in several ways. */
export type Result = { numbers: readonly string[]; answer: CarrierAnswer };

/**
 * The answer for each requested number, by number and not by position. A number without a result fails alone. If a single
 * number was requested and the history is that of another, it is passed on with that number, so that it is quarantined. Without
 * a number, the first result counts.
 */
export function answersByNumber(
  asked: readonly Asked[],
  results: readonly Result[],
  provider: string,
): CarrierAnswer[] {
  return asked.map(({ number }) => {
    const wanted = comparable(number);
    const result = results.find(({ numbers }) => wanted === '' || numbers.some((each) => comparable(each) === wanted));
    const only = asked.length === 1 && results.length === 1 ? results[0] : undefined;
    return result?.answer ?? foreign(only) ?? failed('unreadable', `${provider} did not answer about ${number}`);
  });
}

/** The only result of a call about one number, which names another one or none. */
function foreign(only: Result | undefined): CarrierAnswer | undefined {
  const named = only?.numbers.find((each) => each !== '');
  if (only === undefined || named === undefined) return only?.answer;
  return only.answer.kind === 'found' ? { ...only.answer, otherNumber: comparable(named) } : undefined;
}

/**
 * A refusal of the whole call. If one of several numbers is at fault, it is not known which: the poller divides
 * the call to find out.
 * @param status of the response; with 400, everything but trouble of the provider may be the fault of one number.
 */
export function refusedCall(asked: readonly Asked[], answer: CarrierAnswer, status = 200): CarrierAnswer[] {
  const whose = answer.kind === 'failed' ? FAILURES[answer.failure] : 'provider';
  const isOfOne = whose === 'merchant' || (status === 400 && whose === 'number');
  if (answer.kind !== 'failed' || !isOfOne || asked.length === 1) return asked.map(() => answer);
  return asked.map(() => ({ ...failed('temporary', answer.message), isOfOne: true }));
}

/** Spaces, hyphens, case and leading zeros do not distinguish numbers. */
function comparable(number: string): string {
  return number
    .replace(/[\s-]/g, '')
    .toUpperCase()
    .replace(/^0{1,99}(?=.)/, '');
}
