import { EXCEPTION_FAMILY, type Status, type SubStatus } from './status.ts';

/** The kinds an endpoint can subscribe to, in the order they are sent (spec section 6.1). */
export const EVENT_KINDS = ['tracking_update', 'tracking_delivered', 'tracking_exception'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

type State = { status: Status; subStatus: SubStatus };

/**
 * Which events a change emits (spec section 3, rules 1 to 3): every change an update, becoming delivered and becoming
 * exception, undeliverable or returned one more, update first.
 * @param isNews whether the history changed; a change of state alone is news too.
 * @param isRevoked whether the carrier has withdrawn the delivery; that is an exception, too.
 */
export function eventsBetween(before: State, after: State, isNews: boolean, isRevoked = false): EventKind[] {
  const stateChanged = before.subStatus !== after.subStatus || before.status !== after.status;
  if (!isNews && !stateChanged) return [];
  const kinds: EventKind[] = ['tracking_update'];
  if (after.status === '已签收' && before.status !== '已签收') kinds.push('tracking_delivered');
  const isException = after.subStatus !== before.subStatus && EXCEPTION_FAMILY.includes(after.subStatus);
  if (isException || isRevoked) kinds.push('tracking_exception');
  return kinds;
}
