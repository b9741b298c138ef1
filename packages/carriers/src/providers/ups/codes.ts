import type { Failure } from '@pts/core/tracking/answer';
import type { ScanStatus } from '@pts/core/tracking/status';
import { heard } from '../../answer/heard.ts';
import { GOING_BACK, type Meaning, REFUSED } from '../../answer/meaning.ts';
import { codeOf, type JsonObject, textOf } from '../../json.ts';

/** The parts of an activity's status. `type` is coarse and reliable; the two codes are finer. */
export type UpsStatus = { type: string; code: string; statusCode: string; description: string; isLogical: boolean };

/** `status.type`. */
const MEANING_OF_TYPE = new Map<string, Meaning>([
  ['M', { status: 'info_received' }],
  ['MV', { status: 'exception' }], // label voided
  ['P', { status: 'in_transit' }],
  ['I', { status: 'in_transit' }],
  ['O', { status: 'out_for_delivery' }],
  ['D', { status: 'delivered' }],
  ['X', { status: 'exception' }],
]);

/** `status.code`: those that say more than their type. */
const MEANING_OF_CODE = new Map<string, Meaning>([
  ...codes('OT OD OF', { status: 'out_for_delivery' }),
  ...codes('RF', REFUSED),
  ...codes('UR UF', { status: 'undeliverable' }),
  ...codes('VD CA CN CV', { status: 'exception' }), // void
  ...codes('DY DE SD', { status: 'exception' }), // delay
]);
/** On the way back, unless the text or the status code says that it is there. */
const RETURNING: ReadonlySet<string> = new Set(['RS', 'RT', 'RH', 'RU']);

/** `status.statusCode`, if it says more than the type. */
const MEANING_OF_STATUS_CODE = new Map<string, Meaning>([
  ...codes('006 021 072', { status: 'out_for_delivery' }),
  ...codes('017 040', { status: 'available_for_pickup' }), // held for the customer; at an Access Point
  ...codes('033 035 036 037', GOING_BACK),
  ...codes('034', { status: 'returned' }),
]);

/** Waits for the recipient, with any type: UPS also calls it delivered to the Access Point. */
const WAITS =
  /await(?:s|ing)? (?:customer |your )?pick-?\s?up|ready for (?:customer )?(?:pick-?\s?up|collection)|held for (?:customer )?pick-?\s?up/i;

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
    const isBack = MEANING_OF_STATUS_CODE.get(statusCode)?.status === 'returned';
    return heard(isBack ? { status: 'returned' } : GOING_BACK, description);
  }
  if (WAITS.test(description)) return { status: 'available_for_pickup' };
  if (type === 'U') return 'informational'; // the delivery date changed
  const ofType = MEANING_OF_TYPE.get(type);
  const isCoarse = type === 'I' || type === 'P' || ofType === undefined;
  const fine =
    MEANING_OF_CODE.get(code) ?? (isCoarse || type === 'D' ? MEANING_OF_STATUS_CODE.get(statusCode) : undefined);
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
  const isType = type === '' && MEANING_OF_TYPE.has(code);
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

function codes(list: string, meaning: Meaning): [string, Meaning][] {
  return list.split(' ').map((code) => [code, meaning]);
}
