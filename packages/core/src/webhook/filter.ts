import type { ParcelProblem } from '../tracking/scan.ts';
import type { SubStatus } from '../tracking/status.ts';
import type { PushedData } from './push.ts';

/** The most values of one condition. */
export const MAX_FILTER_VALUES = 50;

/** Which parcels' events an endpoint gets: every condition must hold, each by one of its values. */
export type PushFilter = {
  carriers?: readonly string[];
  sub_statuses?: readonly SubStatus[];
  problems?: readonly ParcelProblem[];
  /** By key, the values of the merchant's own metadata. */
  metadata?: Readonly<Record<string, readonly string[]>>;
};

type Filtered = Partial<Pick<PushedData, 'carrier' | 'sub_status' | 'metadata'>>;

/**
 * Whether an endpoint's filter lets an event pass: for pushes as they arise, for replays and for checks alike.
 * @param data the `data` of the event's body; without a parcel, nothing is filtered out.
 * @param problem the parcel's problem then, if it had one.
 */
export function passes(filter: PushFilter | null, data: Filtered, problem: string | null | undefined): boolean {
  if (filter === null || data.carrier === undefined) return true;
  return (
    isAmong(filter.carriers, data.carrier) &&
    isAmong(filter.sub_statuses, data.sub_status) &&
    isAmong(filter.problems, problem) &&
    Object.entries(filter.metadata ?? {}).every(([key, values]) => isAmong(values, data.metadata?.[key]))
  );
}

function isAmong(wanted: readonly string[] | undefined, value: string | null | undefined): boolean {
  return wanted === undefined || (typeof value === 'string' && wanted.includes(value));
}

/** A filter without empty conditions; null if nothing is left of it. */
export function normalizedFilter(filter: PushFilter | null): PushFilter | null {
  if (filter === null) return null;
  const metadata = Object.entries(filter.metadata ?? {}).filter(([, values]) => values.length > 0);
  const rest = { ...filter, metadata: Object.fromEntries(metadata) };
  const given = Object.entries(rest).filter(([, values]) => Object.keys(values).length > 0);
  return given.length === 0 ? null : Object.fromEntries(given);
}
