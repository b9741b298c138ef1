import type { Provider } from '@pts/carriers/provider';
import { type CarrierField, findCarrier } from '@pts/carriers/registry/registry';
import { type Fault, refusal, ServiceError } from '@pts/core/errors';
import { damageOf } from '@pts/core/imports';
import { normaliseNumber } from '@pts/core/tracking/number';
import { fromWire, type WireInputs } from '@pts/db/trackings/inputs';
import type { Registration } from '@pts/db/trackings/register';
import type { ServiceContext } from '../context.ts';
import { type ChoiceContext, chooseCarrierFor, courierFaults, lackingFields } from './choose-carrier.ts';

export type RegistrationInput = {
  tracking_number: string;
  courier_code?: string;
} & WireInputs;

/** Faults beyond the schema: the format of the number, and whether the carrier is known. */
export function registrationFaults(ctx: Pick<ServiceContext, 'sandbox'>, input: Record<string, unknown>): Fault[] {
  return [...numberFaults(input), ...courierFaults(ctx, input)];
}

/** Checks the format of a `tracking_number`, if it is a string. */
export function numberFaults({ tracking_number: number }: Record<string, unknown>): Fault[] {
  if (typeof number !== 'string' || normaliseNumber(number) !== null) return [];
  const message = damageOf(number.trim()) ?? 'must have 5 to 50 letters and digits; spaces and hyphens are dropped';
  return [{ field: 'tracking_number', message, error: 'invalid_number' }];
}

/** `toRegistration` of an item, or the reason for its refusal. @param read @throws ServiceError for an unreadable item */
export function registrationOrRefusal(ctx: ChoiceContext, read: () => RegistrationInput): Registration | ServiceError {
  try {
    return toRegistration(ctx, read());
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/**
 * The registration for an input: the normalized number, its carrier and the provider that serves it.
 * @throws ServiceError if the number is invalid, its carrier is unknown, cannot be detected or has no provider, or a field
 *   that the carrier needs is missing.
 */
export function toRegistration(ctx: ChoiceContext, input: RegistrationInput): Registration {
  const trackingNumber = normaliseNumber(input.tracking_number);
  if (trackingNumber === null) throw refusal(registrationFaults(ctx, input));
  const { carrier, provider, detected, candidates } = chooseCarrierFor(ctx, trackingNumber, input);
  // Candidates are checked without the field that one of them requires: the number may belong to another.
  const needed = candidates ? [] : neededFaults(provider, carrier, input);
  if (needed.length > 0) throw refusal(needed);
  const { name, limits } = provider;
  const chosen = { trackingNumber, carrier, provider: name, detected, floorSeconds: limits.floorSeconds };
  return { ...chosen, ...(candidates && { candidates }), ...fromWire(input) };
}

/** The missing fields without which the provider gets no answer: a unit would be charged for nothing. */
function neededFaults(provider: Provider, carrier: string, input: RegistrationInput): Fault[] {
  const name = findCarrier(carrier, { sandbox: true })?.name ?? carrier;
  return lackingFields(provider, carrier, input).map((field) => ({
    field,
    message: `is required: ${name} ${ANSWERS_ONLY[field]}`,
    error: 'field_needed',
  }));
}

const ANSWERS_ONLY: Record<CarrierField, string> = {
  phone: "answers only with the last four digits of the recipient's or sender's phone",
  postal_code: "answers only with the recipient's postal code",
  destination_country: 'answers only with the destination country',
};
