import { chooseCarrier } from '@pts/carriers/detection/choose-carrier';
import { providerFor } from '@pts/carriers/providers/configured';
import { findCarrier } from '@pts/carriers/registry';
import { ApiError } from '@pts/core/errors';
import { normaliseNumber } from '@pts/core/tracking/number';
import type { Registration } from '@pts/db/register';
import type { ApiDeps } from './deps.ts';

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

/**
 * What is to be registered for an input: the number in its normal form, its carrier and the provider that serves it.
 * @throws ApiError when the number is invalid, or its carrier is unknown, cannot be detected or is served by nobody.
 */
export function toRegistration(deps: Pick<ApiDeps, 'providers' | 'sandbox'>, input: RegistrationInput): Registration {
  const trackingNumber = normaliseNumber(input.tracking_number);
  if (trackingNumber === null) {
    throw new ApiError('invalid_number', {
      fields: [{ field: 'tracking_number', message: 'must have 5 to 50 letters and digits' }],
    });
  }
  const named = namedCarrier(deps, input.courier_code);
  const carrier = named ?? detectedCarrier(deps, trackingNumber);
  const provider = providerFor(carrier, deps.providers);
  if (!provider) {
    throw new ApiError('carrier_undetected', {
      text: `The carrier ${carrier} is known, but this installation has no provider that serves it.`,
    });
  }
  return { trackingNumber, carrier, provider: provider.name, detected: named === null, ...furtherInputs(input) };
}

/** The carrier that a merchant names; null for none and for `auto`. */
function namedCarrier({ sandbox }: Pick<ApiDeps, 'sandbox'>, code: string | undefined): string | null {
  const wanted = code?.trim().toLowerCase() ?? '';
  if (wanted === '' || wanted === 'auto') return null;
  const carrier = findCarrier(wanted, { sandbox });
  if (!carrier)
    throw new ApiError('unknown_courier', {
      fields: [{ field: 'courier_code', message: `"${wanted}" is no known carrier` }],
    });
  return carrier.code;
}

function detectedCarrier({ sandbox }: Pick<ApiDeps, 'sandbox'>, trackingNumber: string): string {
  const { carrier } = chooseCarrier(trackingNumber, { sandbox });
  if (carrier === null) throw new ApiError('carrier_undetected');
  return carrier;
}

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
