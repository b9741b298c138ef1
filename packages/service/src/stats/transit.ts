import { findCarrier } from '@pts/carriers/registry/registry';
import { zoneOfPlace } from '@pts/carriers/time/place';
import { resolveTime } from '@pts/carriers/time/time';
import { type DeliveryEstimate, transitHours } from '@pts/core/estimates';
import { laneOf, type Transit, transitBucket } from '@pts/core/stats';
import type { TrackingEvent } from '@pts/core/tracking/scan';
import { readTrackingBody } from '@pts/core/webhook/push';
import { firstRegion } from '../estimates/route.ts';

/**
 * How a delivered parcel counts in the transit times of its account.
 * @param body the exact body of its `tracking_delivered`.
 * @param expected the first estimate that it had; null if it had none.
 * @returns null if its transit time is not known or not representative.
 */
export function transitOf(body: string, expected: DeliveryEstimate | null): Transit | null {
  const { carrier, events, pieces } = readTrackingBody(body).data;
  const transit = transitHours(events, pieces);
  if (transit === null) return null;
  const place = events.find(({ status }) => status === 'delivered')?.location ?? '';
  return {
    carrier,
    ...laneOf(firstRegion(events, carrier), firstRegion(events.toReversed(), carrier)),
    hours: transitBucket(transit.hours),
    promise: expected && { source: expected.source, isKept: transit.deliveredAt <= endOf(expected, place, carrier) },
  };
}

/** The end of an estimate; a date ends with the day at the place of the delivery. */
function endOf({ to }: DeliveryEstimate, place: TrackingEvent['location'], carrier: string): Date {
  if (to.includes('T')) return new Date(to);
  const country = findCarrier(carrier, { sandbox: true })?.country ?? '';
  const zone = zoneOfPlace(place, country, { home: true }) ?? 'UTC';
  return new Date(resolveTime(`${to} 23:59:59`, zone)?.time ?? to);
}
