import type { DeliveryWindow } from '@pts/core/estimates';
import { toUtcSeconds } from '@pts/core/time';
import type { ZoneSource } from '@pts/core/tracking/scan';
import { LRUCache } from 'lru-cache';
import { findCarrier } from '../registry/registry.ts';
import { homeOf, type Place, placeText, zoneOfPlace } from './place.ts';

/** The home zone of Chinese carriers: one zone for the whole country, UTC+8, no summer time. */
export const CHINA = 'Asia/Shanghai';

export type ResolvedTime = {
  /** ISO 8601 UTC to the second, with Z. */
  time: string;
  zoneSource: ZoneSource;
};

/**
 * `2031-04-05 06:07[:08[.9]]` with `-` or `/`, a space or `T`, and perhaps `AM` or `PM`, and `Z`, `+08:00`, `+0800` or
 * `+08`. A day alone is its beginning.
 */
const TIME =
  /^(\d{4})(?:-(\d{1,2})-|\/(\d{1,2})\/)(\d{1,2})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,20})?)?(?:\s?([AP])M)?\s{0,9}(Z|(?:UTC|GMT)?[+−-]\d{1,2}(?::?\d{2}(?::?00)?)?|UTC|GMT)?(?:\[[A-Za-z_/+-]{1,40}\])?)?$/i;

/** `+08`, `+8`, `+0800`, `UTC+8` or `−03:30`. */
const OFFSET = /([+−-])(\d{1,2}):?(\d{2})?/;

const DAY_MS = 86_400_000;
const LAST_MS = Date.UTC(9999, 11, 31);
/** Over all zones; parcels live for weeks, so few days are in use at once. */
const MAX_DAYS = 5_000;

const formatters = new Map<string, Intl.DateTimeFormat>();
const offsetsByDay = new LRUCache<string, readonly [before: number, after: number]>({ max: MAX_DAYS });

/**
 * The instant of a carrier's time text.
 * A text with an offset of its own keeps it (`carrier`). Otherwise it is the local time of `zone`, an IANA
 * name, known as `source` says: of the scan's place, or the carrier's home by default.
 * When clocks go back, the earlier of the two instants counts; a time that clocks skip is read with the offset
 * before the change, so that it comes out after it (both as `Temporal`'s "compatible").
 * @returns null if the text is not such a time or its day or hour does not exist.
 * @throws RangeError when the runtime does not know the zone.
 */
export function resolveTime(text: string, zone = CHINA, source: ZoneSource = 'default'): ResolvedTime | null {
  if (isCanonical(text)) return { time: text, zoneSource: 'carrier' };
  const match = TIME.exec(text.trim());
  if (!match) return null;
  const local = wallClock(match);
  if (local === null) return null;
  const offset = match[9];
  if (offset === undefined) return { time: utc(local - zoneOffset(local, zone)), zoneSource: source };
  const offsetMs = statedOffset(offset);
  return offsetMs === null ? null : { time: utc(local - offsetMs), zoneSource: 'carrier' };
}

const CANONICAL = /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Whether the text is an instant in the form of the result: then there is nothing to convert. */
function isCanonical(text: string): boolean {
  if (!CANONICAL.test(text)) return false;
  const ms = Date.parse(text);
  // A day that its month does not have, and the hour 24, are read as another day.
  return ms > Date.UTC(1000) && ms < LAST_MS && new Date(ms).getUTCDate() === Number(text.slice(8, 10));
}

/** The local time as if it were UTC, in ms; null if the date does not exist. */
function wallClock(match: RegExpExecArray): number | null {
  const [, year, dashed, slashed, day, clock = '0', minute = '0', second = '0', half] = match;
  const month = dashed ?? slashed;
  const hour = half === undefined ? Number(clock) : hourOf(Number(clock), half);
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day), hour, Number(minute), Number(second));
  const date = new Date(ms);
  const exists =
    date.getUTCFullYear() === Number(year) &&
    date.getUTCMonth() + 1 === Number(month) &&
    date.getUTCDate() === Number(day) &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === Number(minute) &&
    date.getUTCSeconds() === Number(second);
  // The first and last years cannot be converted to UTC with four digits.
  return exists && ms > Date.UTC(1000) && ms < LAST_MS ? ms : null;
}

/** The hour of a clock with twelve; NaN for one that it does not show. */
function hourOf(clock: number, half: string): number {
  if (clock < 1 || clock > 12) return Number.NaN;
  return (clock % 12) + (half.toUpperCase() === 'P' ? 12 : 0);
}

/** `Z`, `+08`, `+0800` or `-03:30` in ms; null if no zone has such an offset. */
function statedOffset(text: string): number | null {
  const [, sign, hour, minute] = OFFSET.exec(text) ?? [];
  if (sign === undefined) return 0;
  const [hours, minutes] = [Number(hour), Number(minute ?? 0)];
  if (hours > 14 || minutes > 59) return null;
  return (sign === '+' ? 1 : -1) * (hours * 60 + minutes) * 60_000;
}

/** The offset to subtract from a wall clock reading, in ms. */
function zoneOffset(local: number, zone: string): number {
  const [before, after] = offsetsAround(Math.floor(local / DAY_MS), zone);
  if (before === after) return before;
  // The larger offset gives the earlier instant, so it is tried first.
  const holds = [Math.max(before, after), Math.min(before, after)].find(
    (offset) => offsetAt(local - offset, zone) === offset,
  );
  return holds ?? before;
}

/** The zone's offsets a day before and a day after this day: equal unless clocks are changed around it. */
function offsetsAround(day: number, zone: string): readonly [before: number, after: number] {
  const key = `${zone} ${day}`;
  const known = offsetsByDay.get(key);
  if (known) return known;
  const offsets = [offsetAt((day - 1) * DAY_MS, zone), offsetAt((day + 2) * DAY_MS, zone)] as const;
  offsetsByDay.set(key, offsets);
  return offsets;
}

/** The time that the zone's clocks showed at an instant, minus UTC, in ms. */
function offsetAt(instant: number, zone: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatter(zone).formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
}

function formatter(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formatters.set(zone, made);
  return made;
}

function utc(ms: number): string {
  return toUtcSeconds(new Date(ms));
}

/**
 * Converts a time without a zone, as aggregators report it. Carriers based in China report in Chinese time. Others
 * report in the local time of the scan's place (`location`); where that is unknown, in that of the home of the country
 * that it names, or of the carrier (`default`).
 * @returns null if the text is not a time.
 */
export function resolveLocalTime(text: string, carrier: string, place: string): ResolvedTime | null {
  const country = findCarrier(carrier, { sandbox: true })?.country ?? 'CN';
  if (country === 'CN' || country === 'ZZ') return resolveTime(text, CHINA);
  const zone = zoneOfPlace(place, country);
  if (zone !== null) return resolveTime(text, zone, 'location');
  return resolveTime(text, zoneOfPlace(place, country, { home: true }) ?? 'UTC');
}

/**
 * Converts a time without a zone that is local at a place: in the place's zone (`location`), or that of its country or
 * of one of `homes`, or UTC (`default`). A time with an offset of its own keeps it (`carrier`).
 * @param homes countries; a place that names none is read as one in the first.
 * @returns null if the text is not a time.
 */
export function resolveTimeAt(text: string, place: Place, homes: readonly string[] = []): ResolvedTime | null {
  const { zone, source } = zoneAt(place, homes);
  return resolveTime(text, zone, source);
}

/**
 * Converts a time as `resolveTimeAt` does. Where the place does not determine its zone, the offset of a neighboring
 * scan counts (`default`).
 * @param neighborOffset from `offsetBeside`.
 */
export function resolveTimeBeside(
  text: string,
  place: Place,
  homes: readonly string[],
  neighborOffset: string | undefined,
): ResolvedTime | null {
  const local = resolveTimeAt(text, place, homes);
  if (local === null || local.zoneSource !== 'default' || neighborOffset === undefined) return local;
  const near = resolveTime(`${text}${neighborOffset}`);
  // A day alone takes no offset.
  return near ? { ...near, zoneSource: 'default' } : local;
}

/** The nearest known offset to the scan at `at`, from the offsets of scans in order of time. */
export function offsetBeside(offsets: readonly (string | undefined)[], at: number): string | undefined {
  const known = offsets.flatMap((offset, i) => (offset === undefined ? [] : [{ offset, distance: Math.abs(i - at) }]));
  return known.toSorted((a, b) => a.distance - b.distance)[0]?.offset;
}

const ZIP = /^\d{5}(?=$|-?\d{4}$)/;

/**
 * The zone of a place, or the best guess.
 * @param homes countries; a place that names none is read as one in the first.
 */
export function zoneAt(place: Place, homes: readonly string[] = []): { zone: string; source: ZoneSource } {
  const text = placeText(place).replaceAll(' - ', ', ');
  const [first = '', ...others] = [place.country ?? '', ...homes].filter((country) => country !== '');
  // A region that is a part of its own is never read as a country (`REGINA, SK`).
  const own = homeOf(place.region ?? '', first);
  const [zip] = ZIP.exec(place.postalCode ?? '') ?? [];
  const zone = text === '' ? null : zoneOfPlace(zip ? `${text} ${zip}` : text, own);
  if (zone !== null) return { zone, source: 'location' };
  const guesses = [own, ...others].map((country) => zoneOfPlace(text, country, { home: true }));
  return { zone: guesses.find((guess) => guess !== null) ?? 'UTC', source: 'default' };
}

const DAY_FIRST = /^\s{0,9}(\d{1,2})([-./])(\d{1,2})\2(\d{4})(?!\d)/;

/** A date or time with the year first, if its day is first: `24.07.2031 10:15`, also with `-` or `/`. */
export function yearFirst(text: string): string {
  return text.replace(DAY_FIRST, '$4-$3-$1');
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** Nothing is delivered at midnight: carriers write a day in this way. */
const MIDNIGHT = /^(\d{4}-\d{2}-\d{2})[T ]00:00(?::00(?:\.0{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?$/;

/**
 * The carrier's estimate of the delivery at a place. Each end is a date or a time; if one is missing, the other one
 * counts for both. Two dates stay dates, at the destination; a date combined with a time means all of that day there. A
 * single midnight is a date.
 * @returns undefined if there is none, or it cannot be read.
 */
export function estimateOf(from: string, to: string, place: Place): DeliveryWindow | undefined {
  const [first, last] = endsOf(from || to, to || from);
  if (DATE.test(first) && DATE.test(last)) return first <= last ? { from: first, to: last } : undefined;
  const { zone } = zoneAt(place);
  const begin = resolveTime(DATE.test(first) ? `${first} 00:00:00` : first, zone);
  const end = resolveTime(DATE.test(last) ? `${last} 23:59:59` : last, zone);
  if (begin === null || end === null || begin.time > end.time) return undefined;
  return { from: begin.time, to: end.time };
}

function endsOf(first: string, last: string): readonly [string, string] {
  const day = first === last ? MIDNIGHT.exec(first)?.[1] : undefined;
  return day === undefined ? [first, last] : [day, day];
}
