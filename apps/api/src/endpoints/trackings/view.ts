import type { Infer } from '@pts/contract/infer';
import type { tracking } from '@pts/contract/schemas/trackings';
import { toUtcSeconds } from '@pts/core/time';
import type { Annotations } from '@pts/core/tracking/change';
import { toTrackingEvent } from '@pts/core/tracking/scan';
import { candidateCodes } from '@pts/core/tracking/undecided';
import { toWire } from '@pts/db/trackings/inputs';
import type { Previewed } from '@pts/db/trackings/preview';
import type { TrackingRecord } from '@pts/db/trackings/records';
import type { Registered } from '@pts/db/trackings/register';
import { type WatchContext, watchOf } from '@pts/service/trackings/watch';

type Tracking = Infer<typeof tracking>;

/** The response of a registration (spec section 4.2). */
export function viewCreated({ id, trackingNumber, carrier, status, detected, candidates }: Registered) {
  return {
    id,
    tracking_number: trackingNumber,
    carrier,
    status,
    ...viewDetection({ carrier, detected, candidates: codesOf({ detected, candidates }) }),
  };
}

/** The response of a dry run. */
export function viewPreview({ id, status, registration, charged, carrier, detected, candidates }: Previewed) {
  return {
    dry_run: true as const,
    id,
    tracking_number: registration.trackingNumber,
    carrier,
    status,
    ...viewDetection({ carrier, detected, candidates }),
    would_charge: charged ? 1 : 0,
  };
}

/** A tracking as merchants read it (spec section 2.3). Optional inputs appear only if they were sent. */
export function viewTracking(record: TrackingRecord, deps: WatchContext) {
  const { id, trackingNumber, carrier, status, subStatus, events } = record;
  const { mode, intervalSeconds, nextCheckAt } = watchOf(record, deps);
  return {
    id,
    tracking_number: trackingNumber,
    carrier,
    ...viewDetection({ carrier, detected: record.detected, candidates: codesOf(record) }),
    status,
    sub_status: subStatus,
    events: events.map(toTrackingEvent),
    ...viewAnnotations(record.annotations ?? {}),
    ...given('notice', record.notice),
    created_at: toUtcSeconds(record.createdAt),
    updated_at: toUtcSeconds(record.updatedAt),
    last_checked_at: record.lastCheckedAt && toUtcSeconds(record.lastCheckedAt),
    next_check_at: nextCheckAt && toUtcSeconds(nextCheckAt),
    watch: { mode, interval_seconds: intervalSeconds },
    ...toWire(record),
  };
}

/** The detected carrier, or, until it is known, the candidates that are checked one after another. */
function viewDetection(found: { carrier: string; detected: boolean; candidates: readonly string[] }) {
  const { carrier, detected, candidates } = found;
  if (candidates.length > 0) return { candidates: [...candidates] };
  return given('detected_carrier', detected ? carrier : null);
}

/** The codes of a tracking's candidates; empty once its carrier is known. */
function codesOf({ detected, candidates }: Pick<TrackingRecord, 'detected' | 'candidates'>): string[] {
  return candidates && detected ? candidateCodes(candidates) : [];
}

/** Optional parts; absent when empty. */
function viewAnnotations({ previous, expected, pieces, estimate, reason }: Annotations) {
  return {
    ...given('reason', reason ?? null),
    ...given('pieces', pieces ?? null),
    ...given('estimated_delivery', estimate ?? null),
    ...given('expected', expected?.map(toTrackingEvent) ?? null),
    ...given('previous_events', previous?.map(toTrackingEvent) ?? null),
  };
}

/** A field that is present only if it has a value: one of those that a tracking may have. */
function given<K extends keyof Tracking>(name: K, value: Tracking[K] | null): Pick<Partial<Tracking>, K> {
  return (value === null ? {} : { [name]: value }) as Pick<Partial<Tracking>, K>;
}
