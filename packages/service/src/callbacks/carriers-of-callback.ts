import type { Callback } from '@pts/carriers/provider';
import type { KnownSubscription, WatchedNumber } from '@pts/db/subscriptions/callbacks';

/**
 * The carriers, by our codes, that a callback is about: of those that it may name, all that are subscribed to or watched.
 * Providers also send callbacks under the code of a company that we know by another name: then the number decides, if it is
 * subscribed to, or watched, with one carrier only.
 */
export function carriersOfCallback(
  { carriers }: Pick<Callback, 'carriers'>,
  watched: readonly Pick<WatchedNumber, 'carrier'>[],
  subscriptions: readonly KnownSubscription[],
): string[] {
  const named = [
    ...subscriptions.filter(({ carrier, movedTo }) => isNamed(carriers, carrier) || isNamed(carriers, movedTo)),
    ...watched.filter(({ carrier }) => isNamed(carriers, carrier)),
  ];
  if (named.length > 0) return distinct(named);
  const [subscribed, all] = [distinct(subscriptions), distinct(watched)];
  return [subscribed, all].find((list) => list.length === 1) ?? [];
}

function isNamed(carriers: readonly string[], carrier: string | null): boolean {
  return carrier !== null && carriers.includes(carrier);
}

function distinct(list: readonly { carrier: string }[]): string[] {
  return [...new Set(list.map(({ carrier }) => carrier))];
}
