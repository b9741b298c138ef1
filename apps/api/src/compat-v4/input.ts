import type { RegistrationInput } from '@pts/service/trackings/registration';
import { CARRIED_FIELDS } from './record.ts';

/** Our name for each of the family's fields that says the same. */
const NAMES = {
  tracking_number: 'tracking_number',
  courier_code: 'courier_code',
  order_number: 'order_id',
  title: 'title',
  customer_phone: 'phone',
  tracking_postal_code: 'postal_code',
  tracking_destination_country: 'destination_country',
} as const;

const THEIRS = new Map<string, string>(Object.entries(NAMES).map(([theirs, ours]) => [ours, theirs]));

/** What the family calls a field of ours. */
export function nameInFamily(field: string): string {
  return THEIRS.get(field) ?? field.replace(/^metadata\./, '');
}

/**
 * A body of the family in our own terms. Empty texts count as left out, as there; the fields of which we have no own are
 * kept among the metadata.
 */
export function fromFamily(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const given = body as Record<string, unknown>;
  const isGiven = (name: string) => Object.hasOwn(given, name) && given[name] !== '' && given[name] !== null;
  const renamed = Object.entries(NAMES)
    .filter(([theirs]) => isGiven(theirs))
    .map(([theirs, ours]) => [ours, given[theirs]]);
  const carried = CARRIED_FIELDS.filter(isGiven).map((name) => [name, given[name]]);
  const input: Partial<Record<keyof RegistrationInput, unknown>> = Object.fromEntries(renamed);
  return carried.length === 0 ? input : { ...input, metadata: Object.fromEntries(carried) };
}
