import { type CarrierAnswer, type EstimatedDelivery, FAILURES } from '@pts/core/tracking/answer';
import type { Scan } from '@pts/core/tracking/scan';
import { classified, type Meaning } from '../scans/meaning.ts';
import { failed } from './failure.ts';
import type { Asked } from './manifest.ts';

/** `unspoken`: nothing but that the parcel moves. `informational`: news about papers; the parcel stays as it is. */
export type ReadMeaning = Meaning | 'unspoken' | 'informational';
export type ReadScan = {
  scan: Omit<Scan, 'status' | 'course'>;
  meaning: ReadMeaning;
  /** Read from a text, where the state of the parcel is a code: it decides for the newest scan. */
  isCoarse?: boolean;
};

const MOVES: Meaning = { status: 'in_transit' };

/**
 * The history of one number from its scans, in any order. No scans: not found. One that cannot be read (null) fails the answer,
 * because a history with a hole would look complete.
 * @param more.ofParcel the state of the whole parcel: the status of the newest scan, unless that has a telling one of its own.
 */
export function answerFrom(
  read: readonly (ReadScan | null)[],
  provider: string,
  {
    ofParcel,
    estimatedDelivery,
  }: { ofParcel?: Meaning | undefined; estimatedDelivery?: EstimatedDelivery | undefined } = {},
): CarrierAnswer {
  const scans = read.filter((scan) => scan !== null);
  if (scans.length < read.length) {
    const place = read.indexOf(null) + 1;
    return failed('unreadable', `${provider} answered a scan with an unreadable time (number ${place})`);
  }
  if (scans.length === 0) return { kind: 'not_found' };
  const newest = scans.reduce((best, next) => (next.scan.time > best.scan.time ? next : best));
  return {
    kind: 'found',
    ...(estimatedDelivery && { estimatedDelivery }),
    scans: scans.map((each) => {
      const own = ownMeaning(each, scans);
      const isTold = each.meaning !== 'unspoken' && !each.isCoarse;
      if (each !== newest || isTold || ofParcel === undefined) return classified(each.scan, own);
      return { ...classified(each.scan, ofParcel), ownStatus: own.status };
    }),
  };
}

/** An informational scan means what the newest telling scan before it means. */
function ownMeaning({ scan, meaning }: ReadScan, scans: readonly ReadScan[]): Meaning {
  if (meaning === 'unspoken') return MOVES;
  if (meaning !== 'informational') return meaning;
  const before = scans.filter((other) => other.meaning !== 'informational' && other.scan.time <= scan.time);
  if (before.length === 0) return MOVES;
  const last = before.reduce((best, next) => (next.scan.time > best.scan.time ? next : best));
  return ownMeaning(last, scans);
}

/** What an answer says about one number, which it may name in several ways. */
export type Result = { numbers: readonly string[]; answer: CarrierAnswer };

/**
 * The answer for each requested number, by number and not by position. A number without a result fails alone. If a single number
 * was requested and the history is that of another, it is passed on with that number, so that it is quarantined.
 */
export function answersByNumber(
  asked: readonly Asked[],
  results: readonly Result[],
  provider: string,
): CarrierAnswer[] {
  return asked.map(({ number }) => {
    const wanted = comparable(number);
    const result = results.find(({ numbers }) => numbers.some((each) => comparable(each) === wanted));
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

/** A refusal of the whole call. If it is the fault of one number and there are several, nobody knows of which. */
export function refusedCall(asked: readonly Asked[], answer: CarrierAnswer): CarrierAnswer[] {
  const isOfOne = answer.kind === 'failed' && FAILURES[answer.failure] === 'merchant';
  return asked.map(() => (isOfOne && asked.length > 1 ? failed('temporary', answer.message) : answer));
}

/** Spaces, hyphens, case and leading zeros tell no numbers apart. */
function comparable(number: string): string {
  return number
    .replace(/[\s-]/g, '')
    .toUpperCase()
    .replace(/^0{1,99}(?=.)/, '');
}
