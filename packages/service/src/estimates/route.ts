import { regionOf } from '@pts/carriers/time/place';
import { type Lane, lanesOf, type Route, transitHours, weightAt } from '@pts/core/estimates';
import type { Found } from '@pts/core/tracking/answer';
import type { Scan } from '@pts/core/tracking/scan';
import type { DeliveredParcel, LaneSample } from '@pts/db/estimates/lanes';

type Parcel = { carrier: string; destinationCountry: string | null };

/** The route of a parcel in transit: from its first scan with a place to the destination from its provider or merchant. */
export function routeOf({ carrier, destinationCountry }: Parcel, answer: Found): Route | null {
  const origin = firstRegion(byTime(answer.scans), carrier);
  if (origin === null) return null;
  const stated = answer.destination === undefined ? null : regionOf(answer.destination, carrier);
  return { carrier, origin, destination: stated ?? destinationCountry };
}

/** What a delivered parcel adds to each of its lanes; nothing if its transit time is not known. */
export function samplesOf({ carrier, scans, pieces }: DeliveredParcel): LaneSample[] {
  const transit = transitHours(scans, pieces);
  const origin = firstRegion(scans, carrier);
  if (transit === null || origin === null) return [];
  const destination = firstRegion(scans.toReversed(), carrier);
  const { hours, deliveredAt } = transit;
  return lanesOf({ carrier, origin, destination }).map((lane) => ({ ...lane, hours, weight: weightAt(deliveredAt) }));
}

/** The region of the first scan whose place shows one. */
export function firstRegion(scans: readonly Pick<Scan, 'location'>[], carrier: string): string | null {
  for (const { location } of scans) {
    const region = regionOf(location, carrier);
    if (region !== null) return region;
  }
  return null;
}

function byTime(scans: readonly Scan[]): Scan[] {
  return scans.toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time));
}

/** A text that is the same for equal lanes. */
export function keyOf({ carrier, origin, destination }: Lane): string {
  return `${carrier} ${origin} ${destination}`;
}
