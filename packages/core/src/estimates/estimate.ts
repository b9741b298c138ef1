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
 * @param offsetMs how far the clocks at the parcel are ahead of UTC.
 */
export function namesOtherDays(
  before: DeliveryEstimate | undefined,
  after: DeliveryEstimate | undefined,
  offsetMs: number,
): boolean {
  if (after?.source !== 'carrier') return false;
  return daysOf(before, offsetMs) !== daysOf(after, offsetMs);
}

function daysOf(estimate: DeliveryEstimate | undefined, offsetMs: number): string {
  if (estimate?.source !== 'carrier') return '';
  return [estimate.from, estimate.to].map((text) => dayOf(text, offsetMs)).join(' ');
}

function dayOf(text: string, offsetMs: number): string {
  return DATE.test(text) ? text : new Date(Date.parse(text) + offsetMs).toISOString().slice(0, 10);
}
