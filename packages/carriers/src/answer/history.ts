import type { CarrierAnswer, Found } from '@pts/core/tracking/answer';
import { resolveTime } from '../time/time-zone.ts';
import { failed } from './failure.ts';
import { heard } from './heard.ts';
import { classified, type Meaning, type ReadScan } from './meaning.ts';
import { plainText } from './plain-text.ts';
import { withState } from './state.ts';

/** What an answer says about the whole parcel. */
type OfParcel = { [K in 'estimatedDelivery' | 'destination' | 'pieces' | 'isWatchEnded']?: Found[K] | undefined } & {
  /** Its state, as the provider reports it besides the scans; a function of the newest scan's text if its code is coarse. */
  state?: Meaning | undefined | ((newestText: string) => Meaning | undefined);
  /** When the parcel came into that state, as the provider writes it. */
  stateAt?: string | undefined;
};

const MOVES: Meaning = { status: 'in_transit' };

/**
 * The answer about one number from its scans, in the order in which they are listed.
 * - A scan means what its code and its text mean (`heard`); a silent one, that the parcel moves; an informational one, the same
 *   as the newest scan before it.
 * - The state of the parcel counts beside its newest scan (`withState`); without scans it is the answer, and without a
 *   state, too, the number is not found.
 * - A scan whose time cannot be read (null) fails the answer, because a history with a hole would look complete.
 */
export function answerFrom(
  read: readonly (ReadScan | null)[],
  provider: string,
  { state, stateAt = '', ...about }: OfParcel = {},
): CarrierAnswer {
  const scans = read.filter((scan) => scan !== null).map(withPlainText);
  if (scans.length < read.length) {
    const place = read.indexOf(null) + 1;
    return failed('unreadable', `${provider} answered a scan with an unreadable time (number ${place})`);
  }
  const known = Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined));
  const stateOver = (text: string) => (typeof state === 'function' ? state(text) : state);
  if (scans.length === 0) {
    const parcelStatus = stateOver('')?.status;
    return parcelStatus ? { kind: 'found', scans: [], parcelStatus, ...known } : { kind: 'not_found' };
  }
  const meanings = new Map(scans.map((each) => [each, ownMeaning(each, scans)]));
  // Papers, such as a planned delivery, are not what the state of the parcel is about, if there is anything else.
  const told = scans.filter(({ meaning }) => meaning !== 'informational');
  const newest = newestOf(told.filter((each) => meanings.get(each)?.status !== 'info_received')) ?? newestOf(scans);
  const isLater = isAfter(stateAt, newestOf(told)?.scan.time ?? '');
  return {
    kind: 'found',
    ...known,
    scans: scans.map((each) => {
      const own = meanings.get(each) ?? MOVES;
      return each === newest
        ? withState(each.scan, own, stateOver(each.scan.description), isLater)
        : classified(each.scan, own);
    }),
  };
}

function withPlainText({ scan, meaning }: ReadScan): ReadScan {
  return { scan: { ...scan, description: plainText(scan.description) }, meaning };
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

function ownMeaning({ scan, meaning }: ReadScan, scans: readonly ReadScan[]): Meaning {
  if (meaning === 'silent') return heard(MOVES, scan.description);
  if (meaning !== 'informational') return heard(meaning, scan.description);
  const before = scans.filter((other) => other.meaning !== 'informational' && other.scan.time <= scan.time);
  const last = newestOf(before);
  return last ? ownMeaning(last, scans) : MOVES;
}

/** Of several in the same second, or minute, the one that is listed as the newest: most APIs list that one first. */
function newestOf(scans: readonly ReadScan[]): ReadScan | undefined {
  const [first, last] = [scans[0]?.scan.time ?? '', scans.at(-1)?.scan.time ?? ''];
  const oldestFirst = first < last ? scans : scans.toReversed();
  return oldestFirst.reduce<ReadScan | undefined>(
    (best, next) => (best && best.scan.time > next.scan.time ? best : next),
    undefined,
  );
}
