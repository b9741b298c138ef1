import type { ScanStatus } from '@pts/core/tracking/status';
import { GOING_BACK, type Meaning, REFUSED } from './meaning.ts';

/** Signed by the recipient or their household, or by someone who keeps the parcel for them. */
const COLLECTED =
  /取[件货]码签收|凭码|本人签收|签收人[^，,。；;]{0,6}(?:本人|客户|收件人|取[件货]码)|家门口|放(?:在|至)?门口|[领取]走|已领取|(?:客户|用户|收件人)已?取件|(?:家人|同事|前台|门卫|保安|物业|邻居|他人)代?签?收/;
const KEPT =
  /代签收|代收|暂存|待取|(?:存|放|投|送)[至到入进在][^，,。；;]{0,30}(?:柜|驿站|丰巢|自提点|服务站)|签收人[^，,。；;]{0,6}(?:驿站|柜|丰巢|自提|超市|便利店|服务站)|请[^，,。；;]{0,8}(?:取[件货走]|领取)|取[件货]码/;

/** Who signed, as far as a text says: the recipient, or someone who keeps the parcel for them. */
export function signedBy(text: string): ScanStatus | null {
  if (COLLECTED.test(text)) return 'delivered';
  return KEPT.test(text) ? 'available_for_pickup' : null;
}

/**
 * What the text of a scan without a telling code says; the first rule that matches decides. Signed is read narrowly, because
 * texts also ask receivers to get ready to sign; what is only announced has not happened.
 */
const MEANING_OF_TEXT: readonly (readonly [RegExp, ScanStatus | Meaning])[] = [
  [/(?:退[回件货]|退签)[^，,。；;]{0,12}(?:签收|妥投|已送达)|退件签收|已退签/, 'returned'],
  [/拒收|拒签/, REFUSED],
  [/退回|退件|退签|退货/, GOING_BACK],
  [
    /拦截|滞留|留仓|地址不详|清关异常|破损|丢失|遗失|问题件|疑难件|派[件送]异常|(?:派[件送]|投递)(?:失败|不成功)|未妥投/,
    'exception',
  ],
  [/已下单|已接单|待揽[收件]|等待揽[收件]|待取件[^，,。；;]{0,20}揽/, 'info_received'],
  [/揽[收件]|已收[件寄]|收寄/, 'in_transit'],
  [
    /正在[^，,。；;]{0,8}(?:派[件送]|投递|配送)|(?:派[件送]|投递|配送)(?:中(?!心)|途中)|已(?:外出)?(?:派[件送]|投递)(?![至到入成完])/,
    'out_for_delivery',
  ],
  [/(?:将|即将|准备|安排|待|等待|预计)[^，,。；;]{0,8}(?:派[件送]|投递|配送)/, 'in_transit'],
  [/取[件货]码签收|本人签收/, 'delivered'],
  [/(?:驿站|柜|丰巢|代收点|自提点|服务站|超市)[^，,。；;]{0,40}代签收/, 'available_for_pickup'],
  [/签收人[^，,。；;]{0,6}(?:驿站|柜|丰巢|代收点|自提|超市|便利店|服务站)/, 'available_for_pickup'],
  [
    /已[^，,。；;]{0,8}签收|签收人(?:[:：]|是|为)|签收成功|(?:本人|客户|家人|同事|前台|门卫|他人)代?签收|(?:已|成功)妥投|妥投成功/,
    'delivered',
  ],
  [/暂存|驿站|代收|自提|快递柜|智能柜|丰巢|待取[件货]|取[件货]码|请[^，,。；;]{0,8}取[件货走]/, 'available_for_pickup'],
  [/(?:派[件送]|投递|配送)(?!网点|城市|公司|中心|部|点|站)/, 'out_for_delivery'],
];

/** The meaning of a scan that has only its (Chinese) text. */
export function meaningOfChinese(text: string): Meaning {
  if (handOverOf(text) !== null) return { status: 'in_transit' };
  const meaning = MEANING_OF_TEXT.find(([pattern]) => pattern.test(text))?.[1] ?? 'in_transit';
  return typeof meaning === 'string' ? { status: meaning } : meaning;
}

/** The carriers that texts hand a parcel over to, by our codes. */
const NAMED_CARRIERS: readonly (readonly [string, string])[] = [
  ['EMS', 'china-ems'],
  ['中国邮政', 'china-post'],
  ['邮政', 'china-post'],
  ['顺丰', 'sf-express'],
  ['圆通', 'yto'],
  ['中通', 'zto'],
  ['申通', 'sto'],
  ['韵达', 'yunda'],
  ['极兔', 'jtexpress'],
  ['京东', 'jd'],
  ['德邦', 'deppon'],
];
const HAND_OVER =
  /转[至交往寄给发]?[【“"]?(EMS|中国邮政|邮政|顺丰|圆通|中通|申通|韵达|极兔|京东|德邦)(?:[^A-Z0-9]{0,12}([A-Z]{0,4}\d{8,20}[A-Z]{0,2}))?/i;

/** The carrier that a parcel was handed over to according to a text, and its number, if given. */
export function handOverOf(text: string): { carrier: string; number: string | null } | null {
  const match = HAND_OVER.exec(text);
  const carrier = NAMED_CARRIERS.find(([name]) => name === match?.[1]?.toUpperCase())?.[1];
  return carrier === undefined ? null : { carrier, number: match?.[2]?.toUpperCase() ?? null };
}
