import { MAX_NUMBERS } from '@pts/contract/limits';
import { CARRIED_FIELDS, idParam } from '@pts/contract/schemas/compat-v4';
import { registrationInputs } from '@pts/contract/schemas/merchant-fields';
import { createBody } from '@pts/contract/schemas/trackings';
import { LISTS_FIELDS, ServiceError } from '@pts/core/errors';
import { lettersOf, sentInstead } from '@pts/core/sent-instead';
import { courierFaults, type RegistrationInput, registrationFaults } from '@pts/service/trackings/register';
import type { ApiDeps } from '../deps.ts';
import { createValidator } from '../http/body/validate.ts';

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

/** What the family's bodies may have; a record may be changed with its id in the body. */
export const FAMILY_FIELDS: readonly string[] = [...Object.keys(NAMES), ...CARRIED_FIELDS, 'dry_run'];

const THEIRS = new Map<string, string>(Object.entries(NAMES).map(([theirs, ours]) => [ours, theirs]));

/** The family's name of our field. */
function nameInFamily(field: string): string {
  return THEIRS.get(field) ?? field.replace(/^metadata\./, '');
}

/** A refusal under the family's names. */
export function inFamilyTerms(refused: ServiceError): ServiceError {
  const { error, message, retryAfterSeconds } = refused;
  const fields = refused.fields.map((fault) => ({ ...fault, field: nameInFamily(fault.field) }));
  if (LISTS_FIELDS.has(error)) return new ServiceError(error, { fields });
  return new ServiceError(error, {
    fields,
    text: message,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

const validateRegistration = createValidator(createBody, nameInFamily);
const validateId = createValidator(idParam);
const validateChange = createValidator({ type: 'object', properties: registrationInputs }, nameInFamily);

/** What to register for a body. @throws ServiceError that lists every fault, under the family's names. */
export function readRegistration(deps: Pick<ApiDeps, 'sandbox'>, body: unknown): RegistrationInput {
  return validateRegistration(fromFamily(body), (given) => registrationFaults(deps, given));
}

/** The items of a bulk body in our own terms; more than a call takes are refused as they are. */
export function itemsFromFamily(body: unknown): unknown {
  return Array.isArray(body) && body.length <= MAX_NUMBERS ? body.map(fromFamily) : body;
}

/** The id in the path of a change, which comes with its body. @throws ServiceError `invalid_id`. */
export function readId(body: unknown): string {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : undefined;
  return validateId({ id }).id;
}

/** What to change. @throws ServiceError that lists every fault, under the family's names. */
export function readChange(deps: Pick<ApiDeps, 'sandbox'>, body: unknown): Partial<RegistrationInput> {
  return validateChange(fromFamily(body), (given) => courierFaults(deps, given));
}

export type Metadata = Record<string, string>;

/** The metadata of a tracking, with those that were sent. @throws ServiceError if they are too many together. */
export function withCarried(metadata: Metadata | null, sent: Metadata): Metadata {
  const all = { ...metadata, ...sent };
  validateChange({ metadata: all });
  return all;
}

/**
 * A body of the family in our own terms. Empty texts count as left out, as there; fields without an equivalent of ours are
 * kept among the metadata.
 */
function fromFamily(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const given = body as Record<string, unknown>;
  const isGiven = (name: string) => Object.hasOwn(given, name) && given[name] !== '' && given[name] !== null;
  const renamed = Object.entries(NAMES)
    .filter(([theirs]) => isGiven(theirs))
    .map(([theirs, ours]) => [ours, given[theirs]]);
  const carried = CARRIED_FIELDS.filter(isGiven).map((name) => [name, given[name]]);
  // The message about a missing number names the field that was sent in its place.
  const instead = isGiven('tracking_number') ? undefined : sentInstead('tracking_number', given, Object.keys(NAMES));
  // That of a single number in a batch is refused: it would be charged.
  const kept = Object.keys(given).filter((name) => name === instead || lettersOf(name) === 'dryrun');
  const unknown = Object.fromEntries(kept.map((name) => [name, given[name]]));
  const input: Partial<Record<keyof RegistrationInput, unknown>> = { ...unknown, ...Object.fromEntries(renamed) };
  return carried.length === 0 ? input : { ...input, metadata: Object.fromEntries(carried) };
}
