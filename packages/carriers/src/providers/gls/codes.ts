import type { Failure } from '@pts/core/tracking/answer';
import { EXCEPTION_FAMILY } from '@pts/core/tracking/status';
import { codeTable, type Meaning, meaningByRules, type TextRules } from '../../answer/meaning.ts';
import { meaningOfEnglish } from '../../texts/english.ts';

/** The states of a parcel. FINAL means only that no event will follow: its events say whether it was delivered or returned. */
export const meaningOfState = codeTable({
  PLANNEDPICKUP: 'info_received',
  INPICKUP: 'info_received',
  PREADVICE: 'info_received',
  INTRANSIT: 'in_transit',
  INWAREHOUSE: 'in_transit',
  INDELIVERY: 'out_for_delivery',
  DELIVERED: 'delivered',
  DELIVEREDPS: 'available_for_pickup', // in a parcel shop
  NOTDELIVERED: 'exception',
  NOTPICKEDUP: 'exception',
  CANCELED: 'exception',
});

/** Codes of events are `<step>.<case>`, for example `INTIAL.PREADVICE` [sic]. */
const RULES_OF_CODE: TextRules = [
  [/PREADVI|PLANNEDPICKUP|INPICKUP|E48_DATA/i, 'info_received'],
  [/DELIVEREDPS|PARCELSHOP|PARCEL_SHOP/i, 'available_for_pickup'],
  [/NOT_?DEL|NOTPICKEDUP|CANCEL|UNDELIV/i, 'exception'],
  [/^(?:INDELIVERY|OUTDEL)\b/i, 'out_for_delivery'],
  [/^(?:DELIVD|DELIVERED)\b/i, 'delivered'],
];

/** The meaning of an event. Its text is more precise than the case of a failed delivery, and may deny a delivery. */
export function meaningOfEvent(code: string, text: string): Meaning | undefined {
  const ofCode = meaningByRules(code, RULES_OF_CODE);
  const ofText = meaningOfEnglish(text);
  if (ofCode === undefined || ofText === undefined) return ofCode ?? ofText;
  const isTextFiner =
    (ofCode.status === 'exception' && ofText.course !== undefined) ||
    (ofCode.status === 'delivered' && EXCEPTION_FAMILY.includes(ofText.status));
  return isTextFiner ? ofText : ofCode;
}

/** `errorCode` of one parcel: `E_<HTTP status>_<number>`. */
export function outcomeOf(code: string): Failure | 'not_found' {
  const status = /^E_(\d{3})_/.exec(code)?.[1];
  if (status === '404') return 'not_found';
  if (status === '400') return 'invalid_number';
  if (status === '401' || status === '403') return 'auth';
  return status === '429' ? 'rate_limited' : 'temporary';
}
