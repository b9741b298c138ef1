import { toUtcSeconds } from '../time.ts';
import type { ScanStatus } from './status.ts';

/**
 * Where the time zone of a scan comes from: the carrier's answer, the place of the scan, or the carrier's home zone.
 */
export const ZONE_SOURCES = ['carrier', 'location', 'default'] as const;
export type ZoneSource = (typeof ZONE_SOURCES)[number];

/** The course of the parcel from this scan on: the recipient refused it, or it returns to the sender. */
export type Course = 'refused' | 'going_back';

/**
 * The kinds of trouble that carriers' codes and texts name. A scan with a course has `refused` or `returning` by it.
 */
export const PROBLEMS = [
  'delayed',
  'weather',
  'damaged',
  'lost',
  'refused',
  'address',
  'recipient_unavailable',
  'customs',
  'payment',
  'held',
  'failed_attempt',
  'cancelled',
  'returning',
  'other',
] as const;
export type ParcelProblem = (typeof PROBLEMS)[number];

/** Problems of parcels that are late and on their way: no exceptions. */
export const DELAYS: readonly ParcelProblem[] = ['delayed', 'weather'];

/** To whom a parcel was delivered; absent where its carrier does not say. */
export type Proof = {
  to?: HandedTo;
  /** The name of the person who signed, as the carrier writes it. */
  signedBy?: string;
  /** Public addresses of images and documents: of the signature, or of the parcel at its place. */
  urls?: string[];
};

/** The places and persons that parcels are delivered to. */
export const HANDED_TO = [
  'recipient',
  'household',
  'neighbor',
  'reception',
  'colleague',
  'safe_place',
  'door',
  'mailbox',
  'locker',
  'pickup_point',
  'other',
] as const;
export type HandedTo = (typeof HANDED_TO)[number];

/** The shop, branch or locker where a parcel waits for its recipient; each part as its carrier states it. */
export type PickupPoint = {
  name?: string;
  address?: string;
  openingHours?: string;
  /** In degrees of WGS 84. */
  latitude?: number;
  longitude?: number;
};

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
  /** The trouble by its code and text; a course has its own. */
  problem?: ParcelProblem;
  /** The code that the carrier gives it. */
  code?: string;
  /** The place in parts, as far as the carrier states them; the country is ISO 3166-1 alpha-2. */
  place?: { city?: string; region?: string; country?: string };
  /** The proof of a delivery. */
  proof?: Proof;
  /** The key under which it was first seen (`keyOf`), if a correction has changed it since. */
  key?: string;
  /** The state of the parcel that was reported with this scan, if it is further along than the scan itself. */
  parcel?: ParcelState;
};

/** `isLater`: the carrier dates it after the scan. */
type ParcelState = { status: ScanStatus; course?: Course; problem?: ParcelProblem; isLater?: true };

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

/** `2031-03-12 17:20:41`, `2031/03/12 17:20`, `20310312 172041`: the year first. */
const YEAR_FIRST = /^(\d{4})[-/]?(\d{1,2})[-/]?(\d{1,2})[ T]\s*(\d{2}):?(\d{2})(?::?(\d{2}))?/;
/** `12.03.2031 17:20`. */
const DAY_FIRST = /^(\d{1,2})\.(\d{1,2})\.(\d{4})[ T,]\s*(\d{1,2}):(\d{2})(?::(\d{2}))?/;

const MINUTE_MS = 60_000;
/** All zones are whole quarters of an hour from UTC, and at most 14 hours. */
const STEP_MS = 15 * MINUTE_MS;
const MAX_OFFSET_MS = 14 * 60 * MINUTE_MS;

/**
 * When a scan took place by the clocks of the carrier's text: `2031-03-12T17:20:41+01:00`, the same moment as its
 * `time`.
 * @returns null if the text has no such clock: it is in UTC, or in a form that is not known here.
 */
export function localTimeOf(scan: Pick<Scan, 'time' | 'timeRaw'>): string | null {
  const offset = offsetOf(scan);
  return offset === null
    ? null
    : toUtcSeconds(new Date(Date.parse(scan.time) + offset)).replace('Z', offsetText(offset));
}

/** How far the clocks of the carrier's text are ahead of UTC, in ms; null as with `localTimeOf`. */
export function offsetOf({ time, timeRaw }: Pick<Scan, 'time' | 'timeRaw'>): number | null {
  const local = wallClock(timeRaw);
  if (local === null) return null;
  const instant = Date.parse(time);
  const offset = Math.round((local - instant) / STEP_MS) * STEP_MS;
  const isSameMoment = Math.abs(local - offset - instant) < MINUTE_MS;
  if (!isSameMoment || Math.abs(offset) > MAX_OFFSET_MS) return null;
  return offset === 0 && timeRaw.trimEnd().endsWith('Z') ? null : offset;
}

/** The text's date and time as if they were UTC, in ms. */
function wallClock(text: string): number | null {
  const yearFirst = YEAR_FIRST.exec(text.trim());
  const dayFirst = yearFirst ? null : DAY_FIRST.exec(text.trim());
  const [year, month, day] = yearFirst?.slice(1, 4) ?? dayFirst?.slice(1, 4).toReversed() ?? [];
  if (year === undefined) return null;
  const [hour, minute, second = '0'] = (yearFirst ?? dayFirst)?.slice(4) ?? [];
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
}

/** `+01:00`. */
function offsetText(offset: number): string {
  const minutes = Math.abs(offset) / MINUTE_MS;
  const digits = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return `${offset < 0 ? '-' : '+'}${digits.join(':')}`;
}
