import type { Failure } from '@pts/core/tracking/answer';
import type { ScanStatus } from '@pts/core/tracking/status';
import { GOING_BACK, type Meaning, REFUSED, type ReadScan } from '../../answer/meaning.ts';
import { handOverOf, isTakenOut, meaningOfChinese, signedBy } from '../../texts/chinese-signatures.ts';

/** Kuaidi100's `state` (of the parcel) and `statusCode` (of a scan): a coarse digit, or a finer code that begins with it. */
const MEANING_OF_CODE = new Map(
  Object.entries<ScanStatus | Meaning>({
    // On its way
    '0': 'in_transit',
    '1001': 'in_transit', // reached the destination's city
    '1002': 'in_transit', // line haul
    '1003': 'in_transit', // forwarded
    '7': 'in_transit', // handed to another carrier
    '8': 'in_transit', // customs
    '10': 'in_transit',
    '11': 'in_transit',
    '12': 'in_transit',
    '13': 'exception', // customs hold it
    // Collection
    '1': 'in_transit',
    '101': 'info_received', // ordered
    '102': 'info_received', // waiting for collection
    '103': 'in_transit', // collected
    // Trouble
    '2': 'exception',
    '201': 'exception', // overdue
    '202': 'exception', // no news
    '203': REFUSED,
    '204': 'exception', // delivery failed
    '205': 'available_for_pickup', // overdue in a locker or at a pickup point
    '206': 'exception', // receiver not reached
    '207': 'exception', // outside the delivery area
    '208': 'exception', // held
    '209': 'exception', // damaged
    '210': 'exception', // cancelled
    '401': 'exception', // cancelled
    // Signed
    '3': 'delivered',
    '301': 'delivered', // by the receiver
    '302': 'delivered', // after trouble
    '303': 'delivered', // by someone for the receiver
    '304': 'available_for_pickup', // by a locker or a pickup point
    // Out for delivery
    '5': 'out_for_delivery',
    '501': 'available_for_pickup',
    // Refused, on its way back, back
    '14': REFUSED,
    '6': GOING_BACK,
    '4': 'returned',
  }),
);

/** The names of the states that say more than that the parcel moves: some answers have the name of a scan's code instead. */
const CODE_OF_NAME = new Map(
  Object.entries({
    已下单: '101',
    待揽收: '102',
    疑难: '2',
    超时未签收: '201',
    超时未更新: '202',
    拒收: '203',
    派件异常: '204',
    柜或驿站超时未取: '205',
    无法联系: '206',
    超区: '207',
    滞留: '208',
    破损: '209',
    销单: '210',
    已销单: '401',
    清关异常: '13',
    拒签: '14',
    签收: '3',
    本人签收: '301',
    派件异常后最终签收: '302',
    代签: '303',
    投柜或站签收: '304',
    派件: '5',
    投柜或驿站: '501',
    退签: '4',
    退回: '6',
    转投: '7',
  }),
);

/** The code of a state by its name; '' for a name that says nothing more than the text of a scan. */
export function codeOfName(name: string): string {
  return CODE_OF_NAME.get(name) ?? '';
}

/** Codes that only say that the parcel moves; the text of a scan may be more precise. */
const COARSE: ReadonlySet<string> = new Set(['0', '1', '1002']);
/** States in which a parcel was signed for, or may have been. */
const MAY_BE_SIGNED = /^(?:3\d*|4|6|14|401|)$/;
const SIGNED = /^3(?:0\d)?$/;

/** Whether Kuaidi100 stops tracking a parcel in this state. */
export function isFinalState(state: string): boolean {
  return SIGNED.test(state);
}

/** The meaning of a scan by its own code and text. For coarse and unknown codes, the text decides. */
export function meaningOfScan(code: string, text: string, state: string): ReadScan['meaning'] {
  const fine = meaningOfCode(code, text);
  if (fine) return fine;
  const read = meaningOfChinese(text);
  // Texts of signatures that the state of the parcel denies: handed to another carrier, or signed by mistake.
  return read?.status === 'delivered' && !MAY_BE_SIGNED.test(state) ? { status: 'in_transit' } : (read ?? 'silent');
}

/** The meaning of a code, if it says more than that the parcel moves; undefined for an unknown code. */
export function meaningOfCode(code: string, text: string): Meaning | undefined {
  const known = COARSE.has(code) ? undefined : MEANING_OF_CODE.get(code);
  if (known === undefined) return undefined;
  if (SIGNED.test(code)) {
    if (handOverOf(text) !== null) return { status: 'in_transit' };
    return { status: signedBy(text) ?? (code === '304' ? 'available_for_pickup' : 'delivered') };
  }
  // Couriers also take parcels out of lockers again.
  if (code === '501' && isTakenOut(text)) return { status: 'in_transit' };
  return typeof known === 'string' ? { status: known } : known;
}

/** Return codes with a fixed meaning; for 400 and 500 the message decides. */
const FAILURE_OF_RETURN_CODE = new Map(
  Object.entries<Failure>({
    '408': 'needs_input',
    '501': 'transient',
    '502': 'transient',
    '503': 'auth',
    '504': 'rate_limited',
    '505': 'rate_limited',
    '600': 'auth',
    '601': 'quota',
  }),
);

/**
 * The causes of a 400. Anything else concerns only the one number: an unknown wording must neither stop a
 * parcel permanently nor pause all others.
 */
const OUTCOME_OF_MESSAGE: readonly (readonly [RegExp, Failure | 'not_found'])[] = [
  [/单号不存在|无结果/, 'not_found'],
  [/余额|欠费|充值|额度|次数/, 'quota'],
  [/授权|签名|加密|customer|key/i, 'auth'],
  [/手机|电话|验证码|phone/i, 'needs_input'],
  [/单号[^，,。；;]{0,20}(?:错|误|非法|无效|不规范|不正确|不合法|不符)/, 'invalid_number'],
];
/** A 500 that means "no news yet, try later", not a server error. */
const NOTHING_YET = /结果|轨迹|隔段时间/;
const SERVER_FAULT = /服务器|系统|异常|繁忙|超时|稍后|server/i;

/**
 * What a code other than 200 means. 500 ("no result, ask again later") and 201 ("no such number, or expired") are both
 * not failures: a very new parcel looks the same. A 500 can also be a server error: its message decides.
 * @param isEmpty whether the answer has the form of a query's and is empty: a wrong key or customer is refused this way.
 */
export function outcomeOf(code: string, message: string, isEmpty: boolean): Failure | 'not_found' {
  if (code === '201') return 'not_found';
  if (code === '500') return SERVER_FAULT.test(message) && !NOTHING_YET.test(message) ? 'transient' : 'not_found';
  const known = FAILURE_OF_RETURN_CODE.get(code);
  if (known || code !== '400') return known ?? 'unreadable';
  return OUTCOME_OF_MESSAGE.find(([pattern]) => pattern.test(message))?.[1] ?? (isEmpty ? 'auth' : 'unreadable');
}
