import { type Choice, chooseCarrier } from '@pts/carriers/detection/choose-carrier';
import { detectWithReasons } from '@pts/carriers/detection/detect';
import type { Provider } from '@pts/carriers/provider';
import { providerFor } from '@pts/carriers/providers/routes';
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

/** What detection chooses for a number, among the carriers that the providers of this installation serve. */
export function chooseServedCarrier(
  { providers, sandbox }: Pick<ServiceContext, 'providers' | 'sandbox'>,
  trackingNumber: string,
): Choice {
  return chooseCarrier(trackingNumber, {
    sandbox,
    serves: (carrier) => providerFor(carrier, providers) !== undefined,
  });
}

/**
 * The carrier that a merchant names for a number, or that is detected, and the provider that serves it. `isSure` where it was
 * named, or where the form of the number decides.
 * @throws ServiceError when the carrier is unknown, cannot be detected or is served by nobody.
 */
export function chooseCarrierFor(
  ctx: Pick<ServiceContext, 'providers' | 'sandbox'>,
  trackingNumber: string,
  courierCode: string | undefined,
): { carrier: string; provider: Provider; detected: boolean; isSure: boolean } {
  const named = namedCarrier(ctx, courierCode);
  const { carrier, isSure } = named === null ? detectedCarrier(ctx, trackingNumber) : { carrier: named, isSure: true };
  const provider = providerFor(carrier, ctx.providers);
  if (!provider) {
    throw new ServiceError('carrier_undetected', {
      text: `This installation has no provider for the carrier ${carrier}.`,
    });
  }
  return { carrier, provider, detected: named === null, isSure };
}

/** The carrier that the merchant named; null for none and for `auto`. */
function namedCarrier(ctx: Pick<ServiceContext, 'sandbox'>, code: string | undefined): string | null {
  const wanted = courierWanted(code);
  if (wanted === null) return null;
  const carrier = findCarrier(wanted, { sandbox: ctx.sandbox });
  if (!carrier) throw refusal(courierFaults(ctx, { courier_code: wanted }));
  return carrier.code;
}

function detectedCarrier(
  ctx: Pick<ServiceContext, 'providers' | 'sandbox'>,
  trackingNumber: string,
): { carrier: string; isSure: boolean } {
  const { carrier, isSure } = chooseServedCarrier(ctx, trackingNumber);
  if (carrier === null) {
    const message = `is required: ${whyUndetected(ctx, trackingNumber)}; GET /api/v1/couriers/all lists the codes`;
    throw new ServiceError('carrier_undetected', { fields: [{ field: 'courier_code', message }] });
  }
  return { carrier, isSure };
}

function whyUndetected({ sandbox }: Pick<ServiceContext, 'sandbox'>, trackingNumber: string): string {
  const [best] = detectWithReasons(trackingNumber, { sandbox });
  if (best?.reason !== 'wrong_check_digit') return 'no carrier could be detected';
  const name = findCarrier(best.carrier, { sandbox })?.name ?? best.carrier;
  return `the number has the form of ${name}, but its check digit is wrong: correct the number, or name the carrier`;
}
