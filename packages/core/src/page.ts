import type { DeliveryEstimate, EstimateSource } from './estimates.ts';
import { problemOf } from './tracking/derive.ts';
import type { ParcelProblem, Scan } from './tracking/scan.ts';
import type { SubStatus } from './tracking/status.ts';

/** The headline: when the parcel arrives, or else what is known of it. A problem has its own text. */
export type Headline =
  | 'not_found'
  | 'announced'
  | 'on_its_way'
  | 'expected'
  | 'arriving_today'
  | 'late'
  | 'out_today'
  | 'out'
  | 'pickup'
  | 'delivered'
  | 'delivered_undated'
  | 'undeliverable'
  | 'returned'
  | 'expired';

/** Advice on what the buyer can do: by the problem of the parcel, otherwise by its state. */
export type NextStep =
  | ParcelProblem
  | 'not_found'
  | 'not_found_long'
  | 'announced'
  | 'out'
  | 'pickup'
  | 'late'
  | 'undeliverable'
  | 'returned'
  | 'expired';

/** The state of a parcel as its colour shows it, always beside words: `trouble` is amber, `failed` red. */
export type Tone = 'moving' | 'delivered' | 'trouble' | 'failed';

/** The first thing that the page says. */
export type Situation = {
  headline: Headline | ParcelProblem;
  /** The day in the headline, if it has one: of the scan, or of the expectation. */
  day: Day | null;
  /** When delivery is expected, or was; the headline may have it already. */
  expectation: Expectation | null;
  /** The problem that the API reports; the headline may name it already. */
  problem: ParcelProblem | null;
  nextStep: NextStep | null;
  tone: Tone;
};

/** A parcel, and where and when it is looked at. */
type Seen = {
  subStatus: SubStatus;
  /** Oldest first. */
  scans: readonly Scan[];
  estimate?: DeliveryEstimate | undefined;
  createdAt: Date;
  /** The zone of the destination. */
  zone: string;
  now: Date;
};

const DAY_MS = 86_400_000;
/** After this time without a scan, the buyer should ask the shop. */
const NOT_FOUND_DAYS = 2;

/** Problems after which no delivery is to be expected. */
const FATAL: readonly ParcelProblem[] = ['lost', 'damaged', 'refused', 'returning', 'cancelled'];

/** Problems that say no more than that a delivery did not succeed: "could not be delivered" says the same. */
const UNSPECIFIC: readonly ParcelProblem[] = ['failed_attempt', 'recipient_unavailable', 'other'];

/**
 * The headline of a parcel and what follows from it. Dates are the carrier's or the estimate's own: none is invented.
 */
export function situationOf(seen: Seen): Situation {
  const { subStatus, scans, estimate, zone, now } = seen;
  const expectation = expectationOf(estimate, { zone, now });
  const problem = problemOf(scans, subStatus) ?? null;
  const situation = (words: Words, nextStep: NextStep | null, tone: Tone) => ({ ...words, problem, nextStep, tone });
  switch (subStatus) {
    case 'pending': {
      const isLong = now.getTime() - seen.createdAt.getTime() > NOT_FOUND_DAYS * DAY_MS;
      const words = plain('not_found', expectation);
      return isLong ? situation(words, 'not_found_long', 'trouble') : situation(words, 'not_found', 'moving');
    }
    case 'info_received':
      return situation(expectedOr('announced', expectation), 'announced', 'moving');
    case 'available_for_pickup':
      return situation(plain('pickup'), 'pickup', 'moving');
    case 'delivered':
      return situation(deliveredOn(seen), null, 'delivered');
    case 'returned':
      return situation(plain('returned'), 'returned', 'failed');
    case 'expired':
      return situation(plain('expired'), 'expired', 'trouble');
    case 'out_for_delivery':
      return problem === null
        ? situation(outForDelivery(seen, expectation), 'out', 'moving')
        : withProblem(seen, problem, expectation);
    case 'in_transit':
      if (problem !== null) return withProblem(seen, problem, expectation);
      return expectation?.isLate
        ? situation(plain('late', expectation), 'late', 'trouble')
        : situation(expectedOr('on_its_way', expectation), null, 'moving');
    case 'exception':
    case 'undeliverable':
      return withProblem(seen, problem ?? 'other', expectation);
    default:
      return subStatus satisfies never;
  }
}

/** The words of a parcel with a problem. What is out for delivery, or still expected, says so first. */
function withProblem(seen: Seen, problem: ParcelProblem, expectation: Expectation | null): Situation {
  const { subStatus } = seen;
  const isFatal = subStatus === 'undeliverable' || FATAL.includes(problem);
  const isVague = subStatus === 'undeliverable' && UNSPECIFIC.includes(problem);
  const nextStep = isVague ? 'undeliverable' : problem;
  const known = { problem, nextStep, tone: isFatal ? 'failed' : 'trouble' } as const;
  if (!isFatal && subStatus === 'out_for_delivery') return { ...outForDelivery(seen, expectation), ...known };
  const headline = isVague ? 'undeliverable' : problem;
  return { ...(isFatal ? plain(headline, expectation) : expectedOr(headline, expectation)), ...known };
}

type Words = Pick<Situation, 'headline' | 'day' | 'expectation'>;

function plain(headline: Situation['headline'], expectation: Expectation | null = null): Words {
  return { headline, day: null, expectation };
}

function expectedOr(headline: Situation['headline'], expectation: Expectation | null): Words {
  if (expectation === null || expectation.isLate) return plain(headline, expectation);
  const isPromised = expectation.isToday && expectation.source === 'carrier';
  return { headline: isPromised ? 'arriving_today' : 'expected', day: expectation.from, expectation };
}

/** That it is on the vehicle is worth more than an estimate from similar parcels. */
function outForDelivery({ scans, zone, now }: Seen, expectation: Expectation | null): Words {
  if (expectation?.isToday && expectation.source === 'carrier') return expectedOr('out', expectation);
  const today = dayIn(zone, now);
  const scan = scans.findLast(({ status }) => status === 'out_for_delivery');
  const isToday = scan !== undefined && dayIn(zone, new Date(scan.time)) === today;
  if (isToday) return { headline: 'out_today', day: today, expectation: expectation?.isLate ? expectation : null };
  return plain('out', expectation);
}

/** Delivered may have been presumed, without a scan that says when. */
function deliveredOn({ scans, zone }: Seen): Words {
  const scan = scans.findLast(({ status, parcel }) => status === 'delivered' || parcel?.status === 'delivered');
  if (scan === undefined) return plain('delivered_undated');
  return { headline: 'delivered', day: dayIn(zone, new Date(scan.time)), expectation: null };
}

export type ProgressStep =
  | 'announced'
  | 'in_transit'
  | 'out_for_delivery'
  | 'available_for_pickup'
  | 'delivered'
  | 'returning'
  | 'returned';

export type StepState = 'done' | 'current' | 'todo';

/** The four steps of a parcel, each with whether it is done. */
export function stepsOf(subStatus: SubStatus, scans: readonly Scan[]): { step: ProgressStep; state: StepState }[] {
  const isGoingBack = subStatus === 'returned' || problemOf(scans, subStatus) === 'returning';
  const steps = stepsWith(isGoingBack, scans);
  const reached = reachedIn(subStatus, isGoingBack, scans);
  const isOver = subStatus === 'delivered' || subStatus === 'returned';
  return steps.map((step, place) => ({ step, state: stateAt(place, reached, isOver) }));
}

function stepsWith(isGoingBack: boolean, scans: readonly Scan[]): ProgressStep[] {
  if (isGoingBack) return ['announced', 'in_transit', 'returning', 'returned'];
  const isKept = scans.some(({ status }) => status === 'available_for_pickup');
  return ['announced', 'in_transit', isKept ? 'available_for_pickup' : 'out_for_delivery', 'delivered'];
}

const PLACES: Partial<Record<SubStatus, number>> = {
  pending: -1,
  info_received: 0,
  in_transit: 1,
  out_for_delivery: 2,
  available_for_pickup: 2,
  delivered: 3,
  returned: 3,
};

/** In trouble, or without news, a parcel is where its scans have brought it. */
function reachedIn(subStatus: SubStatus, isGoingBack: boolean, scans: readonly Scan[]): number {
  const place = PLACES[subStatus];
  if (place !== undefined) return place;
  if (isGoingBack) return 2;
  return Math.max(0, ...scans.map(({ status }) => Math.min(2, PLACES[status] ?? 1)));
}

function stateAt(place: number, reached: number, isOver: boolean): StepState {
  if (place > reached) return 'todo';
  return place === reached && !isOver ? 'current' : 'done';
}

/** When delivery is expected, in days at the destination. */
export type Expectation = {
  from: Day;
  to: Day;
  source: EstimateSource;
  /** The hours, if it is a window within one day: instants in ISO 8601 UTC. */
  hours?: { from: string; to: string };
  isToday: boolean;
  /** Whether its last day is over. */
  isLate: boolean;
};

/** The expectation that an estimate gives today: a window that has begun starts today. */
function expectationOf(
  estimate: DeliveryEstimate | undefined,
  { zone, now }: { zone: string; now: Date },
): Expectation | null {
  if (estimate === undefined) return null;
  const today = dayIn(zone, now);
  const [first, to] = [dayOf(estimate.from, zone), dayOf(estimate.to, zone)];
  const isLate = to < today;
  const from = !isLate && first < today ? today : first;
  const isWithinDay = first === to && estimate.from.length > 10 && estimate.from !== estimate.to;
  return {
    from,
    to,
    source: estimate.source,
    ...(isWithinDay ? { hours: { from: estimate.from, to: estimate.to } } : {}),
    isToday: from === today && to === today,
    isLate,
  };
}

/**
 * The day of an end of an estimate, which is a day at the destination, or an instant.
 * @param zone of the destination
 */
export function dayOf(text: string, zone: string): Day {
  return text.length === 10 ? text : dayIn(zone, new Date(text));
}

/** A day at some place, as `2031-03-04`. */
export type Day = string;

const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** The day at a moment in an IANA zone. */
export function dayIn(zone: string, moment: Date): Day {
  const format =
    FORMATS.get(zone) ??
    new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
  FORMATS.set(zone, format);
  return format.format(moment);
}

/** Days for which a page stays after its parcel has arrived. */
export const GONE_AFTER_DAYS = 90;

const ENDS: readonly SubStatus[] = ['delivered', 'returned', 'expired'];

type Parcel = {
  subStatus: SubStatus;
  scans: readonly Scan[];
  updatedAt: Date;
  /**
   * When its polling ended, because its merchant stopped it or its carrier rejected the number; null while it is
   * polled.
   */
  stoppedAt: Date | null;
};

/** Whether the page of a parcel has expired: that many days after its end. */
export function isGone(parcel: Parcel, afterDays: number, now: Date): boolean {
  const endedAt = endOf(parcel);
  return endedAt !== null && now.getTime() > endedAt + afterDays * DAY_MS;
}

/** The end of a parcel is its last scan, or without one its last news; of one on its way, that its polling ended. */
function endOf({ subStatus, scans, updatedAt, stoppedAt }: Parcel): number | null {
  if (!ENDS.includes(subStatus)) return stoppedAt?.getTime() ?? null;
  const newest = scans.at(-1);
  return newest === undefined || subStatus === 'expired' ? updatedAt.getTime() : Date.parse(newest.time);
}

/** The address of a buyer's page. */
export function pageAddress(baseUrl: string, token: string): string {
  return `${baseUrl.replace(/\/{1,99}$/, '')}/t/${token}`;
}

/** The addresses of the pages of parcels, for pushes. */
export type PageAddresses = {
  /**
   * The buyer's page; `generation` counts how often its link was renewed. Absent if the installation has no public
   * address.
   */
  ofBuyer?: ((trackingId: string, generation: number) => string) | undefined;
  /** The page on the carrier's site; undefined if it is not known. */
  ofCarrier(carrier: string, trackingNumber: string): string | undefined;
};
