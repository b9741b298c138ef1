import { findCarrier } from '@pts/carriers/registry/registry';
import { zonesOf } from '@pts/carriers/time/zones';
import type { FamilyFacts } from '@pts/core/webhook/family';

/** The facts about carriers and zones in pushes of the API family's form. */
export const FAMILY_FACTS: FamilyFacts = {
  courierOf(carrier) {
    const known = findCarrier(carrier, { sandbox: true });
    return known ? { phone: known.phone ?? null, url: known.url ?? null } : null;
  },
  zoneOf({ carrier, events }) {
    const scans = events.map(({ time, location }) => ({ time, timeRaw: time, location }));
    return zonesOf({ carrier, destinationCountry: null, scans }).destination;
  },
};
