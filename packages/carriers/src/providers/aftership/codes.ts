import type { Failure } from '@pts/core/tracking/answer';
import { codeTable, GOING_BACK, type Meaning, REFUSED, type ReadScan } from '../../answer/meaning.ts';
import { meaningOfText } from '../../texts/text.ts';

/** Tags and subtags. Without one: `Pending` and `Expired`. */
const meaningOfCode = codeTable({
  InfoReceived: 'info_received',
  InTransit: 'in_transit',
  OutForDelivery: 'out_for_delivery',
  AttemptFail: 'undeliverable',
  AvailableForPickup: 'available_for_pickup',
  Delivered: 'delivered',
  Exception: 'exception',
  Exception_003: REFUSED,
  Exception_010: GOING_BACK,
  Exception_011: 'returned',
});

/**
 * The meaning of a subtag and tag; undefined for those that say nothing about the parcel. The numbers of subtags have changed
 * over the years; the wording of a return (`subtag_message`) has not.
 */
export function meaningOfTag(subtag: string, tag: string, subtagMessage: string): Meaning | undefined {
  if (/^returned to sender$/i.test(subtagMessage)) return { status: 'returned' };
  if (/^returning to sender$/i.test(subtagMessage)) return GOING_BACK;
  return meaningOfCode(subtag) ?? meaningOfCode(subtag.replace(/_\d+$/, '')) ?? meaningOfCode(tag);
}

export function meaningOfCheckpoint(
  subtag: string,
  tag: string,
  subtagMessage: string,
  text: string,
): ReadScan['meaning'] {
  return meaningOfTag(subtag, tag, subtagMessage) ?? meaningOfText(text) ?? 'silent';
}

export const ALREADY_REGISTERED = '4003';

/** What codes (`meta.code`) mean. Any other is `unreadable`. */
const OUTCOMES = new Map(
  Object.entries<Failure | 'not_found'>({
    '401': 'auth',
    '402': 'quota',
    '403': 'auth',
    '404': 'not_found',
    '429': 'rate_limited',
    '500': 'transient',
    '502': 'transient',
    '503': 'transient',
    '504': 'transient',
    '4004': 'not_found',
    '4005': 'invalid_number',
    '4007': 'invalid_number', // none given
    '4011': 'needs_input',
    '4012': 'not_found', // carrier not detected
    '4017': 'invalid_number',
  }),
);

export function outcomeOf(code: string): Failure | 'not_found' {
  return OUTCOMES.get(code) ?? 'unreadable';
}
