import type { Undecided } from '@pts/core/tracking/undecided';

/** The data that decides whether a number is already registered. */
type Wanted = { trackingNumber: string; carrier: string; detected: boolean };
type Known = Wanted & { candidates: Undecided | null };

/**
 * The tracking that a registration returns. Without a named carrier, any tracking of the number will do, preferably one that was
 * also registered without one. A named carrier has a tracking of its own, unless that of the number is undecided.
 * @param known trackings of the account, oldest first.
 */
export function findKnown<K extends Known>(wanted: Wanted, known: readonly K[]): K | undefined {
  const ofNumber = known.filter(({ trackingNumber }) => trackingNumber === wanted.trackingNumber);
  const ofCarrier = ofNumber.find(({ carrier }) => carrier === wanted.carrier);
  if (!wanted.detected) return ofCarrier ?? ofNumber.find(isUndecided);
  return ofNumber.find(isUndecided) ?? ofNumber.find(({ detected }) => detected) ?? ofCarrier ?? ofNumber[0];
}

/** `findKnown` among these trackings, for many registrations. */
export function finderOf<K extends Known>(known: readonly K[]): (wanted: Wanted) => K | undefined {
  const ofNumber = byNumber(known);
  return (wanted) => findKnown(wanted, ofNumber.get(wanted.trackingNumber) ?? []);
}

/** Trackings by their numbers, each list in the order given: searching all of them for each item of a batch is quadratic. */
export function byNumber<K extends { trackingNumber: string }>(trackings: readonly K[]): Map<string, K[]> {
  const groups = new Map<string, K[]>();
  for (const tracking of trackings) {
    const group = groups.get(tracking.trackingNumber);
    if (group) group.push(tracking);
    else groups.set(tracking.trackingNumber, [tracking]);
  }
  return groups;
}

/** Whether its carrier is not known yet. Naming the carrier ends it. */
export function isUndecided({ candidates, detected }: { candidates: unknown; detected: boolean }): boolean {
  return candidates !== null && detected;
}

/** The registrations that would be charged, if `known` is what the account has: each new tracking once. */
export function newOnes<W extends Wanted>(registrations: readonly W[], known: readonly Known[]): Set<W> {
  const named = new Set(registrations.filter(({ detected }) => !detected).map(({ trackingNumber }) => trackingNumber));
  const fresh = new Map<string, W>();
  const find = finderOf(known);
  for (const registration of registrations) {
    const { trackingNumber, carrier, detected } = registration;
    const key = detected ? trackingNumber : `${trackingNumber} ${carrier}`;
    const isNew = !(detected && named.has(trackingNumber)) && !find(registration);
    if (isNew && !fresh.has(key)) fresh.set(key, registration);
  }
  return new Set(fresh.values());
}
