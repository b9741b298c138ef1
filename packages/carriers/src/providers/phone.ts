import { findCarrier } from '../registry/registry.ts';

/**
 * The last four digits of a phone: what carriers in China compare. Merchants may give the whole number, which some providers
 * take for a wrong one, and in any form.
 */
export function lastFourOf(phone: string): string {
  return phone.replace(/\D/g, '').slice(-4);
}

/**
 * What proves to a carrier that the parcel is one's own: the last four digits of a phone, if the carrier wants one. Nothing
 * otherwise: aggregators may send messages to a whole number, or refuse it as a key.
 */
export function proofOf({ carrier, phone }: { carrier: string; phone?: string }): string | undefined {
  const isWanted = findCarrier(carrier, { sandbox: false })?.requiredFields.includes('phone');
  return isWanted && phone ? lastFourOf(phone) : undefined;
}
