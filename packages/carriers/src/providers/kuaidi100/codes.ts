import type { Failure } from '@pts/core/tracking/answer';
import type { ScanStatus } from '@pts/core/tracking/status';

/**
 * Kuaidi100's `state` (of the parcel) and `statusCode` (of a scan): a coarse digit, or a finer code that begins with it.
 * 304 (a locker or a pickup point signed) is not delivered: the receiver has nothing yet, and such parcels are taken
 * out again and delivered days later, or never.
 */
const STATUS_OF_CODE = new Map(
  Object.entries<ScanStatus>({
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
    '203': 'exception', // refused
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
    // On its way back, refused
    '4': 'returned',
    '6': 'returned',
    '14': 'returned',
  }),
);

/** States that say no more than that the parcel moves; a scan's text may know better. */
const COARSE: ReadonlySet<string> = new Set(['0', '1']);

/** The status of a scan's own code; undefined when it has none, or one that we do not know and will not guess. */
export function statusOfCode(code: string): ScanStatus | undefined {
  return STATUS_OF_CODE.get(code);
}

/** The status that the parcel's state gives to its newest scan; undefined when the state leaves that open. */
export function statusOfState(state: string): ScanStatus | undefined {
  return COARSE.has(state) ? undefined : STATUS_OF_CODE.get(state);
}

/**
 * What the text of a scan without a code says; the first rule that matches decides. Signed is read narrowly, because
 * texts also ask receivers to get ready to sign, and a wrong "delivered" cannot be taken back. No text is longer than 500.
 */
const STATUS_OF_TEXT: readonly (readonly [RegExp, ScanStatus])[] = [
  [/退回|退件|退签|退货/, 'returned'],
  [/拒收|拒签|破损|丢失|问题件|疑难件|派[件送]异常|(?:派[件送]|投递)(?:失败|不成功)|未妥投/, 'exception'],
  [/已下单|待揽[收件]|等待揽[收件]|待取件.{0,500}揽/, 'info_received'],
  [/揽[收件]|已收[件寄]|收寄/, 'in_transit'],
  [/(?:驿站|柜|丰巢|代收点|自提点|服务站|超市).{0,500}代签收/, 'available_for_pickup'],
  [
    /已[^，,。；;]{0,8}签收|签收人(?:[:：]|是|为)|签收成功|(?:本人|客户|家人|同事|前台|门卫|他人)代?签收|(?:已|成功)妥投|妥投成功/,
    'delivered',
  ],
  [/暂存|驿站|代收|自提|快递柜|丰巢|待取[件货]|取[件货]码/, 'available_for_pickup'],
  [/(?:派[件送]|投递|配送)(?!网点|城市|公司|中心|部|点|站)/, 'out_for_delivery'],
];

/** The status of a scan that has only its (Chinese) text. */
export function statusOfText(text: string): ScanStatus {
  return STATUS_OF_TEXT.find(([pattern]) => pattern.test(text))?.[1] ?? 'in_transit';
}

/** Return codes that always mean the same; 400 is missing here, because its message decides. */
const FAILURE_OF_RETURN_CODE = new Map(
  Object.entries<Failure>({
    '408': 'needs_input',
    '501': 'transient',
    '502': 'transient',
    '503': 'auth',
    '504': 'rate_limited',
    '601': 'quota',
  }),
);

/**
 * What a 400 complains of. Anything else stays with the one number: a wording that we do not know must neither stop a
 * parcel for good nor pause every other one.
 */
const OUTCOME_OF_MESSAGE: readonly (readonly [RegExp, Failure | 'not_found'])[] = [
  [/单号不存在|无结果/, 'not_found'],
  [/余额|欠费|充值|额度|次数/, 'quota'],
  [/授权|签名|加密|customer|key/i, 'auth'],
  [/手机|电话|验证码|phone/i, 'needs_input'],
  [/单号.{0,500}(?:错|误|非法|无效|不规范|不正确|不合法|不符)/, 'invalid_number'],
];

/**
 * What a code other than 200 means. 500 ("no result, ask again later") and 201 ("no such number, or expired") are both
 * no failure: a parcel too new looks the same.
 */
export function outcomeOf(code: string, message: string): Failure | 'not_found' {
  if (code === '500' || code === '201') return 'not_found';
  const known = FAILURE_OF_RETURN_CODE.get(code);
  if (known || code !== '400') return known ?? 'unreadable';
  return OUTCOME_OF_MESSAGE.find(([pattern]) => pattern.test(message))?.[1] ?? 'unreadable';
}
