import { chooseCarrier } from '@pts/carriers/detection/choose-carrier';
import type { Provider } from '@pts/carriers/provider';
import { providerFor } from '@pts/carriers/providers/configured';
import { findCarrier } from '@pts/carriers/registry';
import { ServiceError } from '@pts/core/errors';
import { type Fault, refusal } from '@pts/core/faults';
import type { ServiceContext } from '../context.ts';

/** Checks that a `courier_code`, if it is a string, is a known carrier. */
export function courierFaults(
  { sandbox }: Pick<ServiceContext, 'sandbox'>,
  { courier_code: code }: Record<string, unknown>,
): Fault[] {
  const wanted = typeof code === 'string' ? courierWanted(code) : null;
  if (wanted === null || findCarrier(wanted, { sandbox })) return [];
  const message =
    'is not a known carrier; GET /api/v1/couriers/all lists them. Omit it, or send auto, to detect the carrier';
  return [{ field: 'courier_code', message, error: 'unknown_courier' }];
}

/** The code that the merchant named; null for none and for `auto`. */
export function courierWanted(code: string | undefined): string | null {
  const wanted = code?.trim().toLowerCase() ?? '';
  return wanted === '' || wanted === 'auto' ? null : wanted;
}

/**
 * The carrier of a number, named by the merchant or detected, and the provider that serves it.
 * @throws ServiceError if the carrier is unknown, cannot be detected or has no provider.
 */
export function chooseCarrierFor(
  ctx: Pick<ServiceContext, 'providers' | 'sandbox'>,
  trackingNumber: string,
  courierCode: string | undefined,
): { carrier: string; provider: Provider; detected: boolean } {
  const named = namedCarrier(ctx, courierCode);
  const carrier = named ?? detectedCarrier(ctx, trackingNumber);
  const provider = providerFor(carrier, ctx.providers);
  if (!provider) {
    throw new ServiceError('carrier_undetected', {
      text: `This installation has no provider for the carrier ${carrier}.`,
    });
  }
  return { carrier, provider, detected: named === null };
}

/** The carrier that the merchant named; null for none and for `auto`. */
function namedCarrier(ctx: Pick<ServiceContext, 'sandbox'>, code: string | undefined): string | null {
  const wanted = courierWanted(code);
  if (wanted === null) return null;
  const carrier = findCarrier(wanted, { sandbox: ctx.sandbox });
  if (!carrier) throw refusal(courierFaults(ctx, { courier_code: wanted }));
  return carrier.code;
}

function detectedCarrier({ sandbox }: Pick<ServiceContext, 'sandbox'>, trackingNumber: string): string {
  const { carrier } = chooseCarrier(trackingNumber, { sandbox });
  if (carrier === null) {
    const message = 'is required: no carrier could be detected; GET /api/v1/couriers/all lists the codes';
    throw new ServiceError('carrier_undetected', { fields: [{ field: 'courier_code', message }] });
  }
  return carrier;
}
