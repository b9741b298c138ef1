import { type JsonObject, textOf } from '../../http/json.ts';
import { destinationAt } from '../../time/destination.ts';
import { alpha2Of } from './alpha-3.ts';

/** The destination in a tracking: in parts, otherwise as the carrier writes it. */
export function destinationOf(item: JsonObject): { destination?: string } {
  const [locality, region] = [textOf(item, 'destination_city'), textOf(item, 'destination_state')];
  const named = textOf(item, 'destination_country_region') || textOf(item, 'destination_country_iso3');
  const country = alpha2Of(named) ?? named;
  const raw = textOf(item, 'destination_raw_location');
  return destinationAt(raw !== '' && locality === '' ? { locality: raw } : { locality, region, country });
}
