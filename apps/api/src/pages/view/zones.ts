import { findCarrier } from '@pts/carriers/registry/registry';
import { type Place, zoneAt } from '@pts/carriers/time/local-time';
import type { PageRecord } from '@pts/db/pages/page';

/** The zones of a parcel: of its destination, and of each place where it was scanned. */
export type Zones = { destination: string; of(location: string): string };

/** A place that names no country is read as one in the carrier's home; of an unknown place, the destination's zone counts. */
export function zonesOf({
  carrier,
  destinationCountry,
  scans,
}: Pick<PageRecord, 'carrier' | 'destinationCountry' | 'scans'>): Zones {
  const home = findCarrier(carrier, { sandbox: true })?.country ?? '';
  const ofPlace = (location: string): string | null => {
    const places: Place[] = [{ locality: location }, { locality: location, country: home }];
    return places.map((place) => zoneAt(place)).find(({ source }) => source === 'location')?.zone ?? null;
  };
  const known = new Map<string, string>();
  const latest = scans.at(-1)?.location ?? '';
  const { zone: ofCountry } = zoneAt({ country: destinationCountry ?? '' }, [home]);
  const destination = destinationCountry === null ? (ofPlace(latest) ?? ofCountry) : ofCountry;
  const of = (location: string) => {
    const zone = known.get(location) ?? (location === '' ? null : ofPlace(location)) ?? destination;
    known.set(location, zone);
    return zone;
  };
  return { destination, of };
}
