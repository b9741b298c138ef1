import type { DeliveryEstimate } from '../estimates/estimate.ts';
import type { Scan } from '../tracking/scan.ts';
import type { SubStatus } from '../tracking/status.ts';
import { type Day, dayIn } from './calendar.ts';
import { type Expectation, expectationOf } from './expectation.ts';
import { type Trouble, troubleOf } from './trouble.ts';

/** The one sentence that the buyer comes for. */
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
  | 'expired'
  | Trouble;

/** What the buyer can do. */
export type NextStep = 'not_found' | 'not_found_long' | 'announced' | 'out' | 'pickup' | 'expired' | 'late' | Trouble;

/** The state of a parcel as its colour shows it, always beside words. */
export type Tone = 'pending' | 'moving' | 'near' | 'delivered' | 'trouble' | 'failed';

/** What the page says first. */
export type Situation = {
  headline: Headline;
  /** The day in the headline, if it has one: of the scan, or of the expectation. */
  day: Day | null;
  /** When delivery is expected, or was; the headline may have it already. */
  expectation: Expectation | null;
  nextStep: NextStep | null;
  tone: Tone;
};

/** A parcel, and where and when it is looked at. */
export type Seen = {
  subStatus: SubStatus;
  /** Oldest first. */
  scans: readonly Scan[];
  estimate?: DeliveryEstimate | undefined;
  createdAt: Date;
  /** The zone of the destination. */
  zone: string;
  now: Date;
};

/** After this time without a scan, the buyer should ask the shop. */
const NOT_FOUND_DAYS = 2;

/** The headline of a parcel and what follows from it. Dates are the carrier's or the estimate's own: none is invented. */
export function situationOf(seen: Seen): Situation {
  const { subStatus, scans, estimate, zone, now } = seen;
  const expectation = expectationOf(estimate, { zone, now });
  const trouble = troubleOf(subStatus, scans);
  if (trouble !== null) {
    const tone = subStatus === 'exception' ? 'trouble' : 'failed';
    return { headline: trouble, day: null, expectation, nextStep: trouble, tone };
  }
  switch (subStatus) {
    case 'pending': {
      const isLong = now.getTime() - seen.createdAt.getTime() > NOT_FOUND_DAYS * 86_400_000;
      const nextStep = isLong ? 'not_found_long' : 'not_found';
      return { headline: 'not_found', day: null, expectation, nextStep, tone: 'pending' };
    }
    case 'info_received':
      return { ...expectedOr('announced', expectation), nextStep: 'announced', tone: 'pending' };
    case 'out_for_delivery':
      return { ...outForDelivery(seen, expectation), nextStep: 'out', tone: 'near' };
    case 'available_for_pickup':
      return { headline: 'pickup', day: null, expectation: null, nextStep: 'pickup', tone: 'near' };
    case 'delivered':
      return { ...deliveredOn(seen), nextStep: null, tone: 'delivered' };
    case 'expired':
      return { headline: 'expired', day: null, expectation: null, nextStep: 'expired', tone: 'pending' };
    case 'in_transit':
    case 'exception':
    case 'undeliverable':
    case 'returned': {
      const nextStep = expectation?.isLate ? 'late' : null;
      const headline = expectation?.isLate ? 'late' : 'on_its_way';
      return { ...expectedOr(headline, expectation), nextStep, tone: 'moving' };
    }
    default:
      return subStatus satisfies never;
  }
}

type Said = Pick<Situation, 'headline' | 'day' | 'expectation'>;

function expectedOr(headline: Headline, expectation: Expectation | null): Said {
  if (expectation === null || expectation.isLate) return { headline, day: null, expectation };
  const isPromised = expectation.isToday && expectation.source === 'carrier';
  return { headline: isPromised ? 'arriving_today' : 'expected', day: expectation.from, expectation };
}

/** That it is on the vehicle is worth more than an estimate from similar parcels. */
function outForDelivery({ scans, zone, now }: Seen, expectation: Expectation | null): Said {
  if (expectation?.isToday && expectation.source === 'carrier') return expectedOr('out', expectation);
  const today = dayIn(zone, now);
  const scan = scans.findLast(({ status }) => status === 'out_for_delivery');
  const isToday = scan !== undefined && dayIn(zone, new Date(scan.time)) === today;
  if (isToday) return { headline: 'out_today', day: today, expectation: expectation?.isLate ? expectation : null };
  return { headline: 'out', day: null, expectation };
}

/** Delivered may have been presumed, without a scan that says when. */
function deliveredOn({ scans, zone }: Seen): Said {
  const scan = scans.findLast(({ status, parcel }) => status === 'delivered' || parcel?.status === 'delivered');
  if (scan === undefined) return { headline: 'delivered_undated', day: null, expectation: null };
  return { headline: 'delivered', day: dayIn(zone, new Date(scan.time)), expectation: null };
}
