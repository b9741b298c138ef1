import { type CarrierAnswer, FAILURES, type NotFound } from '@pts/core/tracking/answer';
import type { Requested } from '../providers/manifest.ts';
import { failed } from './failure.ts';
import { comparable } from './number.ts';

/** How a provider's items, each about one parcel, are read. */
type Reading<T> = {
  provider: string;
  /** The numbers that an item names; it may name its parcel in several ways. */
  numbersOf(item: T): readonly string[];
  answerOf(item: T, requested: Requested): CarrierAnswer;
  /** Our code of the carrier that an item is of, if several carriers may have the number. */
  carrierOf?(item: T): string | null;
  /** What it means that no item is about a number; absent: that the answer cannot be read. */
  missing?: NotFound;
};

/**
 * The answer for each requested number: by number, never by position. Of several items about a number, that of the requested
 * carrier counts, then the one with the newest scan.
 *
 * An answer about another number is never shown as this one's: if a single number was requested, a history of another
 * number is passed on with that number (`otherNumber`), which quarantines it: it counts only if it is still the same an hour later,
 * because carriers also give parcels new numbers. If several were requested, it is not known whose it is: each number without an
 * answer is unreadable.
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
