import { homeZone } from './home-zone.ts';
import { zoneOfPlace } from './place-zone.ts';
import { findCarrier } from './registry.ts';
import { CHINA, type ResolvedTime, resolveTime } from './time-zone.ts';

/**
 * Converts a time without a zone, as aggregators report it. Carriers based in China report in Chinese time. Others
 * report in the local time of the scan's place (`location`); where that is unknown, in that of the carrier's home
 * (`default`).
 * @returns null if the text is not a time.
 */
export function resolveLocalTime(text: string, carrier: string, place: string): ResolvedTime | null {
  const country = findCarrier(carrier, { sandbox: true })?.country ?? 'CN';
  if (country === 'CN' || country === 'ZZ') return resolveTime(text, CHINA);
  const zone = zoneOfPlace(place, country);
  if (zone !== null) return resolveTime(text, zone, 'location');
  return resolveTime(text, zoneOfPlace('', country, { home: true }) ?? homeZone(country) ?? 'UTC');
}
