import type { DeliveryEstimate, EstimateSource } from './estimates.ts';
import { courseOf } from './tracking/derive.ts';
import type { Scan } from './tracking/scan.ts';
import { EXCEPTION_FAMILY, type SubStatus } from './tracking/status.ts';

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

/** Advice on what the buyer can do. */
export type NextStep = 'not_found' | 'not_found_long' | 'announced' | 'out' | 'pickup' | 'expired' | 'late' | Trouble;

/** The state of a parcel as its colour shows it, always beside words. */
export type Tone = 'pending' | 'moving' | 'near' | 'delivered' | 'trouble' | 'failed';

/** The first thing that the page says. */
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

/** After this time without a scan, the buyer should ask the shop. */
const NOT_FOUND_DAYS = 2;

/**
 * The headline of a parcel and what follows from it. Dates are the carrier's or the estimate's own: none is invented.
 */
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
  const trouble = troubleOf(subStatus, scans);
  const steps = stepsWith(trouble, scans);
  const reached = reachedIn(subStatus, trouble, scans);
  const isOver = subStatus === 'delivered' || subStatus === 'returned';
  return steps.map((step, place) => ({ step, state: stateAt(place, reached, isOver) }));
}

function stepsWith(trouble: Trouble | null, scans: readonly Scan[]): ProgressStep[] {
  if (trouble === 'returning' || trouble === 'returned') return ['announced', 'in_transit', 'returning', 'returned'];
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
function reachedIn(subStatus: SubStatus, trouble: Trouble | null, scans: readonly Scan[]): number {
  if (trouble === 'returning') return 2;
  const place = PLACES[subStatus];
  if (place !== undefined) return place;
  return Math.max(0, ...scans.map(({ status }) => Math.min(2, PLACES[status] ?? 1)));
}

function stateAt(place: number, reached: number, isOver: boolean): StepState {
  if (place > reached) return 'todo';
  return place === reached && !isOver ? 'current' : 'done';
}

/** Why a parcel does not reach its recipient, as far as that changes what the recipient can do. */
type Trouble = 'customs' | 'address' | 'missed' | 'refused' | 'problem' | 'undeliverable' | 'returning' | 'returned';

/** Carriers' wordings for each `Trouble`, in the languages that they write; the first rule that matches decides. */
const RULES: readonly (readonly [RegExp, Trouble])[] = [
  [
    /customs|\bduty\b|\bduties\b|import (?:tax|charge|fee)|海关|清关|关税|报关|通关|\bzoll|douan|aduan|alf[âa]ndega|dogan|税関|세관|통관|جمارك|جمرك/iu,
    'customs',
  ],
  [/address(?!ee)|地址|adress|anschrift|direcci[óo]n|endere[çc]o|indirizzo|住所|주소|عنوان/iu, 'address'],
  [
    /attempt|no(?:body| ?one)? (?:was |is )?(?:at )?home|not (?:at )?home|no (?:access|answer)|not available|unavailable|business closed|card left|联系不上|无法联系|无人|不在|再次派送|改日|派[件送](?:失败|不成功)|未妥投|nicht angetroffen|nicht möglich|benachrichtigung|absent|avis[ée]|ausente|assente|destinat[aá]rio ausente|不在|持ち戻り|부재|محاولة/iu,
    'missed',
  ],
];

/** The trouble of a parcel; null if it has none. */
function troubleOf(subStatus: SubStatus, scans: readonly Scan[]): Trouble | null {
  if (subStatus === 'returned') return 'returned';
  if (!EXCEPTION_FAMILY.includes(subStatus)) return null;
  const course = courseOf(scans);
  if (course !== undefined) return course === 'going_back' ? 'returning' : 'refused';
  const text = scans.findLast(({ status }) => EXCEPTION_FAMILY.includes(status))?.description ?? '';
  const named = RULES.find(([pattern]) => pattern.test(text))?.[1];
  return named ?? (subStatus === 'undeliverable' ? 'undeliverable' : 'problem');
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
  return endedAt !== null && now.getTime() > endedAt + afterDays * 86_400_000;
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
