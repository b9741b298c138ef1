import { chooseCarrier } from '@pts/carriers/detection/choose-carrier';
import type { Provider } from '@pts/carriers/provider';
import { providerFor } from '@pts/carriers/providers/configured';
import { type CarrierField, findCarrier } from '@pts/carriers/registry';
import { ServiceError } from '@pts/core/errors';
import { type Fault, refusal } from '@pts/core/faults';
import { normaliseNumber } from '@pts/core/tracking/number';
import type { Registration } from '@pts/db/trackings/register';
import type { ServiceContext } from '../context.ts';

/** The confidence from which on a detected carrier is the right one. */
const SURE = 70;

export type RegistrationInput = {
  tracking_number: string;
  courier_code?: string;
  phone?: string;
  postal_code?: string;
  destination_country?: string;
  order_id?: string;
  title?: string;
  metadata?: Record<string, string>;
};

/** What no schema tells of a number and its carrier: the form of the one, and whether the other is known. */
export function registrationFaults(deps: Pick<ServiceContext, 'sandbox'>, input: Record<string, unknown>): Fault[] {
  return [...numberFaults(input), ...courierFaults(deps, input)];
}

/** What is wrong with the form of a `tracking_number`, where it is a text at all. */
export function numberFaults({ tracking_number: number }: Record<string, unknown>): Fault[] {
  if (typeof number !== 'string' || normaliseNumber(number) !== null) return [];
  const message = 'must have 5 to 50 letters and digits; spaces and hyphens are dropped';
  return [{ field: 'tracking_number', message, error: 'invalid_number' }];
}

/** Whether a `courier_code` is that of a carrier, where it is a text at all. */
export function courierFaults(
  { sandbox }: Pick<ServiceContext, 'sandbox'>,
  { courier_code: code }: Record<string, unknown>,
): Fault[] {
  const wanted = typeof code === 'string' ? courierWanted(code) : null;
  if (wanted === null || findCarrier(wanted, { sandbox })) return [];
  const message = 'is no known carrier: GET /api/v1/couriers/all lists them; leave it out, or send auto, to detect it';
  return [{ field: 'courier_code', message, error: 'unknown_courier' }];
}

/** The code that a merchant names; null for none and for `auto`. */
export function courierWanted(code: string | undefined): string | null {
  const wanted = code?.trim().toLowerCase() ?? '';
  return wanted === '' || wanted === 'auto' ? null : wanted;
}

/**
 * What is to be registered for an input: the number in its normal form, its carrier and the provider that serves it.
 * @throws ServiceError when the number is invalid, its carrier is unknown, cannot be detected or is served by nobody, or a field
 *   that the carrier needs is missing.
 */
export function toRegistration(
  deps: Pick<ServiceContext, 'providers' | 'sandbox'>,
  input: RegistrationInput,
): Registration {
  const trackingNumber = normaliseNumber(input.tracking_number);
  if (trackingNumber === null) throw refusal(registrationFaults(deps, input));
  const { carrier, provider, detected } = carrierOf(deps, trackingNumber, input.courier_code);
  const needed = detected && !isSure(trackingNumber, deps) ? [] : neededFaults(provider, carrier, input);
  if (needed.length > 0) throw refusal(needed);
  return { trackingNumber, carrier, provider: provider.name, detected, ...furtherInputs(input) };
}

/**
 * The carrier that a merchant names for a number, or that is detected, and the provider that serves it.
 * @throws ServiceError when the carrier is unknown, cannot be detected or is served by nobody.
 */
export function carrierOf(
  deps: Pick<ServiceContext, 'providers' | 'sandbox'>,
  trackingNumber: string,
  courierCode: string | undefined,
): { carrier: string; provider: Provider; detected: boolean } {
  const named = namedCarrier(deps, courierCode);
  const carrier = named ?? detectedCarrier(deps, trackingNumber);
  const provider = providerFor(carrier, deps.providers);
  if (!provider) {
    throw new ServiceError('carrier_undetected', {
      text: `The carrier ${carrier} is known, but this installation has no provider that serves it.`,
    });
  }
  return { carrier, provider, detected: named === null };
}

/** The carrier that a merchant names; null for none and for `auto`. */
function namedCarrier(deps: Pick<ServiceContext, 'sandbox'>, code: string | undefined): string | null {
  const wanted = courierWanted(code);
  if (wanted === null) return null;
  const carrier = findCarrier(wanted, { sandbox: deps.sandbox });
  if (!carrier) throw refusal(courierFaults(deps, { courier_code: wanted }));
  return carrier.code;
}

function detectedCarrier({ sandbox }: Pick<ServiceContext, 'sandbox'>, trackingNumber: string): string {
  const { carrier } = chooseCarrier(trackingNumber, { sandbox });
  if (carrier === null) {
    const message = 'is needed: no carrier could be detected; GET /api/v1/couriers/all lists the codes';
    throw new ServiceError('carrier_undetected', { fields: [{ field: 'courier_code', message }] });
  }
  return carrier;
}

/** Carriers that were guessed from a number that many have are asked without what they need, in case it is another's. */
function isSure(trackingNumber: string, { sandbox }: Pick<ServiceContext, 'sandbox'>): boolean {
  const [best] = chooseCarrier(trackingNumber, { sandbox }).candidates;
  return best !== undefined && best.confidence >= SURE;
}

/** What the provider gets no answer without, where it is missing: a unit would be charged for nothing. */
function neededFaults(provider: Provider, carrier: string, input: RegistrationInput): Fault[] {
  const name = findCarrier(carrier, { sandbox: true })?.name ?? carrier;
  return (provider.requires?.(carrier) ?? [])
    .filter((field) => (input[field] ?? '') === '')
    .map((field) => ({ field, message: `is needed: ${name} ${ANSWERS_ONLY[field]}`, error: 'field_needed' }));
}

const ANSWERS_ONLY: Record<CarrierField, string> = {
  phone: "answers only with the last four digits of the recipient's or sender's phone",
  postal_code: "answers only with the recipient's postal code",
  destination_country: 'answers only with the country that the parcel goes to',
};

/** The optional inputs that were given, under our own names. */
function furtherInputs(input: RegistrationInput): Partial<Registration> {
  return {
    ...(input.phone ? { phone: input.phone } : {}),
    ...(input.postal_code ? { postalCode: input.postal_code } : {}),
    ...(input.destination_country ? { destinationCountry: input.destination_country.toUpperCase() } : {}),
    ...(input.order_id ? { orderId: input.order_id } : {}),
    ...(input.title ? { title: input.title } : {}),
    ...(input.metadata ? { metadata: input.metadata } : {}),
  };
}
