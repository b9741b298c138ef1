import type { Failure } from '@pts/core/tracking/answer';
import type { ScanStatus } from '@pts/core/tracking/status';
import { heard } from '../../answer/heard.ts';
import { codeTable, GOING_BACK, type Meaning, REFUSED } from '../../answer/meaning.ts';
import { codeOf, type JsonObject, textOf } from '../../http/json.ts';

/** The parts of an activity's status. `type` is coarse and reliable; the two codes are finer. */
export type UpsStatus = { type: string; code: string; statusCode: string; description: string; isLogical: boolean };

/** `status.type`. */
const meaningOfType = codeTable({
  M: 'info_received', // manifest
  MV: 'exception', // label voided
  P: 'in_transit', // picked up
  I: 'in_transit',
  O: 'out_for_delivery',
  D: 'delivered',
  // Freight: at a freight station, or in a warehouse.
  DO: 'in_transit',
  DD: 'in_transit',
  W: 'in_transit',
  X: 'exception',
});

/** `status.code`: those that say more than their type. */
const meaningOfCode = codeTable({
  OT: 'out_for_delivery',
  OD: 'out_for_delivery',
  OF: 'out_for_delivery',
  RF: REFUSED,
  UR: 'undeliverable',
  UF: 'undeliverable',
  VD: 'exception', // voided
  CA: 'exception', // voided
  CN: 'exception', // voided
  CV: 'exception', // voided
  DY: 'exception', // delayed
  DE: 'exception', // delayed
  SD: 'exception', // delayed
});
/** On the way back, unless the text or the status code says that it is there. */
const RETURNING: ReadonlySet<string> = new Set(['RS', 'RT', 'RH', 'RU']);

/** `status.statusCode`, if it says more than the type. */
const meaningOfStatusCode = codeTable({
  '006': 'out_for_delivery',
  '021': 'out_for_delivery',
  '072': 'out_for_delivery',
  '017': 'available_for_pickup', // held for the customer
  '040': 'available_for_pickup', // at an Access Point
  '033': GOING_BACK,
  '035': GOING_BACK,
  '036': GOING_BACK,
  '037': GOING_BACK,
  '034': 'returned',
});

/** Waits for the recipient, with any type: UPS also calls it delivered to the Access Point. */
const WAITS =
  /await(?:s|ing)? (?:customer |your )?pick-?\s?up|ready for (?:customer )?(?:pick-?\s?up|collection)|held for (?:customer )?pick-?\s?up|held at (?:a |the |your )?(?:UPS )?access point/i;

/** The meaning of texts if the type is missing or unknown. */
const STATUS_OF_TEXT: readonly (readonly [RegExp, ScanStatus])[] = [
  [/out for delivery|on vehicle for delivery/i, 'out_for_delivery'],
  [/^delivered\b/i, 'delivered'],
  [/label|order processed|ready for ups/i, 'info_received'],
  [/delay|held|exception|unable|attempt|refused|damaged/i, 'exception'],
];

/** The meaning of an activity. */
export function meaningOf({ type, code, statusCode, description, isLogical }: UpsStatus): Meaning | 'informational' {
  if (type === 'RS' || (RETURNING.has(code) && type !== 'D')) {
    const isBack = meaningOfStatusCode(statusCode)?.status === 'returned';
    return heard(isBack ? { status: 'returned' } : GOING_BACK, description);
  }
  if (WAITS.test(description)) return { status: 'available_for_pickup' };
  if (type === 'U') return 'informational'; // the delivery date changed
  const ofType = meaningOfType(type);
  const isCoarse = type === 'I' || type === 'P' || ofType === undefined;
  const fine = meaningOfCode(code) ?? (isCoarse || type === 'D' ? meaningOfStatusCode(statusCode) : undefined);
  if (fine && type !== 'D') return fine;
  if (fine?.status === 'available_for_pickup' || fine?.status === 'returned') return fine;
  if (ofType && isCoarse && isLogical) return 'informational';
  return ofType ?? { status: STATUS_OF_TEXT.find(([pattern]) => pattern.test(description))?.[1] ?? 'in_transit' };
}

/** The meaning of `currentStatus`, which may have its type as code, or only a text; undefined if it says nothing. */
export function meaningOfCurrent(current: JsonObject): Meaning | undefined {
  const [type, code] = [textOf(current, 'type').trim(), textOf(current, 'code').trim()];
  const description = textOf(current, 'description').trim() || textOf(current, 'simplifiedTextDescription').trim();
  if (type === '' && code === '' && description === '') return undefined;
  const isType = type === '' && meaningOfType(code) !== undefined;
  const statusCode = codeOf(current, 'statusCode') || code;
  const meaning = meaningOf({ type: isType ? code : type, code, statusCode, description, isLogical: false });
  return meaning === 'informational' ? undefined : heard(meaning, description);
}

/** Codes of errors and warnings about the requested number. Others concern the call. */
const OUTCOME_OF_ERROR = new Map<string, Failure | 'not_found'>([
  ['TW0001', 'not_found'],
  ['TV1002', 'invalid_number'],
  ['151018', 'invalid_number'],
  ['151044', 'not_found'],
  ['151062', 'not_found'],
  ['UJ0001', 'auth'],
  ['10401', 'auth'],
  ['10403', 'auth'],
  ['10429', 'rate_limited'],
]);

/** What an error means; undefined for one that is not known. Those of authentication begin with 25. */
export function outcomeOfError(code: string): Failure | 'not_found' | undefined {
  return /^25\d{4}$/.test(code) ? 'auth' : OUTCOME_OF_ERROR.get(code);
}
