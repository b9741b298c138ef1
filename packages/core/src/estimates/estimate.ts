import { offsetOf } from '../tracking/local-time.ts';
import type { Scan } from '../tracking/scan.ts';
import type { SubStatus } from '../tracking/status.ts';

/** When delivery is expected: local dates of the destination (`2026-11-24`), or instants in ISO 8601 UTC. */
export type DeliveryWindow = { from: string; to: string };

/** `carrier`: the carrier's own estimate. `history`: 80 % of similar parcels arrived within the window. */
export const ESTIMATE_SOURCES = ['carrier', 'history'] as const;
export type EstimateSource = (typeof ESTIMATE_SOURCES)[number];
export type DeliveryEstimate = DeliveryWindow & { source: EstimateSource };

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;
/** An estimate further away than this is a mistake. */
const FURTHEST_DAYS = 366;

/**
 * The window of a provider's estimate as merchants see it: in order, both ends given, both dates or both instants.
 * @returns undefined for anything else, and for a window a year or more away.
 */
export function boundWindow(window: DeliveryWindow | undefined, now: Date): DeliveryWindow | undefined {
  if (window === undefined) return undefined;
  const { from, to } = window;
  const isUniform = [DATE, INSTANT].some((form) => form.test(from) && form.test(to));
  const distance = Math.abs(Date.parse(to) - now.getTime());
  const isPlausible = Date.parse(from) <= Date.parse(to) && distance <= FURTHEST_DAYS * 86_400_000;
  return isUniform && isPlausible ? { from, to } : undefined;
}

/** Whether a parcel in this state is still to be delivered to its recipient. */
export function isUnderWay(subStatus: SubStatus): boolean {
  return subStatus !== 'delivered' && subStatus !== 'returned' && subStatus !== 'expired';
}

/**
 * Whether two estimates of a carrier name other days. A shift by minutes is shown, but it is not news.
 * @param scans of the parcel, in order: the clocks at its newest place decide which day a moment belongs to.
 */
export function namesOtherDays(
  before: DeliveryEstimate | undefined,
  after: DeliveryEstimate | undefined,
  scans: readonly Scan[],
): boolean {
  if (after?.source !== 'carrier') return false;
  if (before?.source !== 'carrier') return true;
  if (before.from === after.from && before.to === after.to) return false;
  const offsetMs = newestOffset(scans);
  return (
    dayOf(before.from, offsetMs) !== dayOf(after.from, offsetMs) ||
    dayOf(before.to, offsetMs) !== dayOf(after.to, offsetMs)
  );
}

/** How far the clocks at the newest place that tells it are ahead of UTC, in ms. */
function newestOffset(scans: readonly Scan[]): number {
  for (const scan of scans.toReversed()) {
    const offset = offsetOf(scan);
    if (offset !== null) return offset;
  }
  return 0;
}

function dayOf(text: string, offsetMs: number): string {
  return DATE.test(text) ? text : new Date(Date.parse(text) + offsetMs).toISOString().slice(0, 10);
}
