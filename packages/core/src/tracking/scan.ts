import type { ScanStatus } from './status.ts';

/** Where the time zone of a scan comes from: the carrier's answer, the place of the scan, or the carrier's home zone. */
export const ZONE_SOURCES = ['carrier', 'location', 'default'] as const;
export type ZoneSource = (typeof ZONE_SOURCES)[number];

/** The course of the parcel from this scan on: the recipient refused it, or it returns to the sender. */
export type Course = 'refused' | 'going_back';

/** One scan event of a parcel, as a provider's parser returns it and the history stores it. */
export type Scan = {
  /** ISO 8601 UTC to the second, with Z (spec section 2.4). */
  time: string;
  /** The time as the carrier wrote it. */
  timeRaw: string;
  zoneSource: ZoneSource;
  /** Place text from the carrier; empty if it gave none. */
  location: string;
  description: string;
  status: ScanStatus;
  /** The status of the scan itself, if `status` was taken from the state of the whole parcel. */
  ownStatus?: ScanStatus;
  course?: Course;
  /** The state of the parcel that was reported with this scan, if it is further along than the scan itself. */
  parcel?: ParcelState;
};

/** `isLater`: the carrier dates it after the scan. */
export type ParcelState = { status: ScanStatus; course?: Course; isLater?: true };

/** A tracking event as merchants and receivers see it (spec section 2.4). */
export type TrackingEvent = { time: string; location: string; description: string; status: string };

/** The public view of a scan, or of an event that was stored: its four fields, in the spec's order. */
export function toTrackingEvent(scan: Scan | TrackingEvent): TrackingEvent {
  return { time: scan.time, location: scan.location, description: scan.description, status: scan.status };
}

/** The time of the newest of some scans; empty if there are none. */
export function newestTime(scans: readonly Pick<Scan, 'time'>[]): string {
  return scans.reduce((newest, { time }) => (time > newest ? time : newest), '');
}
