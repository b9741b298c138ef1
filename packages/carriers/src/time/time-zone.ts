import { toUtcSeconds } from '@pts/core/time';
import type { ZoneSource } from '@pts/core/tracking/scan';
import { LRUCache } from 'lru-cache';

/** The home zone of Chinese carriers: one zone for the whole country, UTC+8, no summer time. */
export const CHINA = 'Asia/Shanghai';

export type ResolvedTime = {
  /** ISO 8601 UTC to the second, with Z. */
  time: string;
  zoneSource: ZoneSource;
};

/**
 * `2031-04-05 06:07[:08[.9]]` with `-` or `/`, a space or `T`, and perhaps `AM` or `PM`, and `Z`, `+08:00`, `+0800` or `+08`. A
 * day alone is its beginning.
 */
const TIME =
  /^(\d{4})(?:-(\d{1,2})-|\/(\d{1,2})\/)(\d{1,2})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,20})?)?(?:\s?([AP])M)?\s{0,9}(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

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
  if (text.toUpperCase() === 'Z') return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(3).replace(':', ''));
  if (hours > 14 || minutes > 59) return null;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
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

/** What the zone's clocks showed at an instant, minus UTC, in ms. */
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
