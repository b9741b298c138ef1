import type { Failure } from '@pts/core/tracking/answer';
import { codeTable, GOING_BACK, type Meaning, REFUSED, type ReadScan } from '../../answer/meaning.ts';
import { meaningOfText } from '../../texts/text.ts';

/** Statuses (`delivery_status`) and sub-statuses. Without one: `pending`, `notfound` and `expired`. */
const meaningOfCode = codeTable({
  inforeceived: 'info_received',
  transit: 'in_transit',
  // Out with the courier, unless a sub-status says that it waits.
  pickup: 'out_for_delivery',
  pickup002: 'available_for_pickup',
  undelivered: 'undeliverable',
  delivered: 'delivered',
  exception: 'exception',
  exception004: 'exception', // not collected
  exception006: 'exception', // held by customs
  exception007: 'exception', // lost or damaged
  exception008: 'exception', // cancelled
  exception009: REFUSED,
  exception010: 'returned',
  exception011: GOING_BACK,
});

/** The meaning of a sub-status or status; undefined for those that say nothing about the parcel. */
export function meaningOfStatus(subStatus: string, status: string): Meaning | undefined {
  return meaningOfCode(subStatus) ?? meaningOfCode(subStatus.replace(/\d{1,9}$/, '')) ?? meaningOfCode(status);
}

export function meaningOfCheckpoint(subStatus: string, status: string, text: string): ReadScan['meaning'] {
  return meaningOfStatus(subStatus, status) ?? meaningOfText(text) ?? 'silent';
}

export const ALREADY_REGISTERED = '4101';
export const NOT_REGISTERED = '4102';

/** What codes mean, for a call (`meta.code`) or a number (`errorCode`). Any other is `unreadable`. */
const OUTCOMES = new Map(
  Object.entries<Failure | 'not_found'>({
    '203': 'auth', // no paid plan
    '401': 'auth',
    '403': 'auth',
    '4001': 'auth',
    '4002': 'auth', // key deleted
    '429': 'rate_limited',
    '4102': 'not_found', // not registered
    '4110': 'invalid_number',
    '4111': 'invalid_number', // none given
    '4121': 'not_found', // carrier not detected
    '4122': 'needs_input',
    '4190': 'quota',
    '500': 'transient',
    '503': 'transient',
    '511': 'transient',
    '512': 'transient',
    '513': 'transient',
  }),
);

export function outcomeOf(code: string): Failure | 'not_found' {
  return OUTCOMES.get(code) ?? 'unreadable';
}
