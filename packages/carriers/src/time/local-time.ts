import type { ZoneSource } from '@pts/core/tracking/scan';
import { findCarrier } from '../registry/registry.ts';
import { homeOf, zoneOfPlace } from './place-zone.ts';
import { CHINA, type ResolvedTime, resolveTime } from './time-zone.ts';

/**
 * Converts a time without a zone, as aggregators report it. Carriers based in China report in Chinese time. Others
 * report in the local time of the scan's place (`location`); where that is unknown, in that of the home of the country that it
 * names, or of the carrier (`default`).
 * @returns null if the text is not a time.
 */
export function resolveLocalTime(text: string, carrier: string, place: string): ResolvedTime | null {
  const country = findCarrier(carrier, { sandbox: true })?.country ?? 'CN';
  if (country === 'CN' || country === 'ZZ') return resolveTime(text, CHINA);
  const zone = zoneOfPlace(place, country);
  if (zone !== null) return resolveTime(text, zone, 'location');
  return resolveTime(text, zoneOfPlace(place, country, { home: true }) ?? 'UTC');
}

/** A place in the parts that an API reports; '' for missing parts. The country is ISO 3166-1 alpha-2. */
export type Place = { locality?: string; region?: string; country?: string };

/**
 * Converts a time without a zone that is local at a place: in the place's zone (`location`), or that of its country or of one
 * of `homes`, or UTC (`default`). A time with an offset of its own keeps it (`carrier`).
 * @param homes countries; a place that names none is read as one in the first.
 * @returns null if the text is not a time.
 */
export function resolveTimeAt(text: string, place: Place, homes: readonly string[] = []): ResolvedTime | null {
  const { zone, source } = zoneAt(place, homes);
  return resolveTime(text, zone, source);
}

/**
 * As `resolveTimeAt`. Where the place does not determine its zone, the offset of a neighboring scan counts (`default`).
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

/**
 * The zone of a place, or the best guess.
 * @param homes countries; a place that names none is read as one in the first.
 */
export function zoneAt(place: Place, homes: readonly string[] = []): { zone: string; source: ZoneSource } {
  const text = placeText(place).replaceAll(' - ', ', ');
  const [first = '', ...others] = [place.country ?? '', ...homes].filter((country) => country !== '');
  // A region that is a part of its own is never read as a country (`REGINA, SK`).
  const own = homeOf(place.region ?? '', first);
  const zone = text === '' ? null : zoneOfPlace(text, own);
  if (zone !== null) return { zone, source: 'location' };
  const guesses = [own, ...others].map((country) => zoneOfPlace(text, country, { home: true }));
  return { zone: guesses.find((guess) => guess !== null) ?? 'UTC', source: 'default' };
}

/** A place as scans show it: `FENNBROOK, OH, US`. */
export function placeText({ locality = '', region = '', country = '' }: Place): string {
  return [locality, region, country].filter((part) => part !== '').join(', ');
}
