import type { ScanStatus } from './status.ts';

/** How the zone of a scan's time was known: the carrier said it, its place tells it, or the carrier's home zone. */
export type ZoneSource = 'carrier' | 'location' | 'default';

/** What a scan says of the parcel's way from then on: the receiver refused it, or it goes back to the sender. */
export type Course = 'refused' | 'going_back';

/** One scan event of a parcel, as a provider's parser hands it over and as the history keeps it. */
export type Scan = {
  /** ISO 8601 UTC to the second, with Z (spec section 2.4). */
  time: string;
  /** The time as the carrier wrote it. */
  timeRaw: string;
  zoneSource: ZoneSource;
  /** Place text from the carrier; empty when it gave none. */
  location: string;
  description: string;
  status: ScanStatus;
  /** The status that the scan has by itself, where `status` was taken from the state of the parcel as a whole. */
  ownStatus?: ScanStatus;
  course?: Course;
};

/** A tracking event as merchants and receivers see it (spec section 2.4). */
export type TrackingEvent = { time: string; location: string; description: string; status: string };

/** The public view of a scan, or of an event that was stored: its four fields, in the spec's order. */
export function toTrackingEvent(scan: Scan | TrackingEvent): TrackingEvent {
  return { time: scan.time, location: scan.location, description: scan.description, status: scan.status };
}
