import type { Scan } from '@pts/core/tracking/scan';
import { findCarrier } from '../registry/registry.ts';
import { countryOfPlace, type Place } from './place.ts';
import { resolveTime, zoneAt } from './time.ts';

/** The zones of a parcel: of its destination, and of each place where it was scanned. */
export type Zones = { destination: string; of(location: string): string };

/**
 * A place that names no country is read as one in the carrier's home (`BOSTON, MA` may name Morocco): as its scan was
 * read, whose local time is known. Of an unknown place, the destination's zone counts. That is the zone of the latest
 * place, unless it is in another country than the destination.
 */
export function zonesOf({
  carrier,
  destinationCountry,
  scans,
}: {
  carrier: string;
  destinationCountry: string | null;
  scans: readonly Pick<Scan, 'time' | 'timeRaw' | 'location'>[];
}): Zones {
  const home = findCarrier(carrier, { sandbox: true })?.country ?? '';
  const ofPlace = (location: string): string | null => {
    const places: Place[] = [{ locality: location }, { locality: location, country: home }];
    const found = places.map((place) => zoneAt(place)).filter(({ source }) => source === 'location');
    const scan = scans.find((each) => each.location === location);
    const fits = ({ zone }: { zone: string }) => scan && resolveTime(scan.timeRaw, zone)?.time === scan.time;
    return (found.find(fits) ?? found[0])?.zone ?? null;
  };
  const known = new Map<string, string>();
  const latest = scans.at(-1)?.location ?? '';
  const { zone: ofCountry } = zoneAt({ country: destinationCountry ?? '' }, [home]);
  const isAbroad = destinationCountry !== null && countryOfPlace(latest, home)?.country !== destinationCountry;
  const destination = (isAbroad ? null : ofPlace(latest)) ?? ofCountry;
  const of = (location: string) => {
    const zone = known.get(location) ?? (location === '' ? null : ofPlace(location)) ?? destination;
    known.set(location, zone);
    return zone;
  };
  return { destination, of };
}
