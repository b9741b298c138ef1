import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import { answerFrom, answersByNumber } from '../../answer/answers.ts';
import { failed, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, isObject, textOf } from '../../http/json.ts';
import { handOverOf, meaningOfChinese, signedBy } from '../../texts/chinese.ts';
import { codeTable, GOING_BACK, type Meaning, REFUSED, type ReadScan } from '../../texts/meaning.ts';
import { resolveLocalTime } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'Kdniao';
const WANTS_PHONE =
  'The carrier needs the last four digits of the sender\'s or recipient\'s phone number. Send them as "phone" ' +
  'when you register the number, or with PATCH /api/v1/trackings/{id}, for example "phone": "5678". ' +
  'If you have sent them, they belong to another phone number.';

/** Reads the answer to one query: one number, oldest scan first, local times without a zone. */
export function parseTraces(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const body = jsonBody(outcome, TITLE);
  if (body.kind === 'failed') return requested.map(() => body);
  const answer = body.body;
  // No scans are an empty list or null.
  const traces = answer.Traces === null ? [] : answer.Traces;
  const isEmpty = !Array.isArray(traces) || traces.length === 0;
  const reason = textOf(answer, 'Reason');
  if (isEmpty && answer.Success !== true) return requested.map(() => refusal(reason));
  if (!Array.isArray(traces))
    return requested.map(() => failed('unreadable', `${TITLE} responded without a list of scans`));
  if (isEmpty) return requested.map(() => ({ kind: 'not_found' }));
  return answersByNumber(requested, [answer], {
    provider: TITLE,
    numbersOf: () => [textOf(answer, 'LogisticCode')],
    answerOf: (_, { carrier }) =>
      answerFrom(
        traces.map((trace) => scanOf(trace, carrier)),
        TITLE,
        { state: (text) => meaningOfParcel(codeOf(answer, 'State'), codeOf(answer, 'StateEx'), text) },
      ),
  });
}

function refusal(reason: string): CarrierAnswer {
  const outcome = outcomeOfReason(reason);
  if (outcome === 'not_found') return { kind: 'not_found' };
  return failed(outcome, outcome === 'needs_input' ? WANTS_PHONE : `${TITLE} responded: ${reason || 'no reason'}`);
}

function scanOf(value: unknown, carrier: string): ReadScan | null {
  if (!isObject(value)) return null;
  const timeRaw = textOf(value, 'AcceptTime');
  const location = textOf(value, 'Location');
  const description = textOf(value, 'AcceptStation') || textOf(value, 'Remark');
  const action = codeOf(value, 'Action');
  const resolved = resolveLocalTime(timeRaw, carrier, location || description);
  const meaning = meaningOfTrace(action, description);
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning, code: action };
}

/** `Action` of a scan and `StateEx` of the parcel; 0 means no news. */
const meaningOf = codeTable({
  10: 'info_received', // waits for collection
  1: 'in_transit', // collected
  2: 'in_transit',
  201: 'in_transit', // in the city of the receiver
  204: 'in_transit', // reached a hub
  205: 'in_transit', // reached the delivering branch
  206: 'in_transit', // left the sending branch
  202: 'out_for_delivery',
  211: 'available_for_pickup', // in a locker or at a pickup point
  3: 'delivered',
  301: 'delivered', // by the receiver
  302: 'delivered', // after trouble
  304: 'delivered', // by someone for the receiver
  311: 'available_for_pickup', // a locker or a pickup point signed
  4: 'exception', // any kind
  401: 'exception', // no news after the order
  402: 'exception', // not signed in time
  403: 'exception', // no update in time
  404: REFUSED,
  405: 'failed_attempt',
  406: 'returned', // signed by the sender
  407: GOING_BACK,
  412: 'available_for_pickup', // overdue in a locker or at a pickup point
  413: 'held', // intercepted
  414: 'damaged',
  415: 'cancelled', // by the sender
  416: 'recipient_unavailable',
  417: 'delayed',
  418: 'in_transit', // taken out of the locker by a courier
  420: 'address', // incomplete
  421: 'address', // wrong phone number
  422: 'exception', // missorted
  423: 'address', // outside the delivery area
  5: 'in_transit', // forwarded
  6: 'in_transit', // customs
  601: 'in_transit',
  602: 'in_transit',
  603: 'in_transit',
  604: 'customs',
});

/** Codes that only say that the parcel moves: the text of a scan may be more precise. */
const COARSE: ReadonlySet<string> = new Set(['1', '2']);
const SIGNED: ReadonlySet<string> = new Set(['3', '301', '302', '304', '311']);

export function meaningOfCode(code: string, text: string): Meaning | undefined {
  const known = COARSE.has(code) ? undefined : meaningOf(code);
  if (known === undefined) return undefined;
  if (handOverOf(text) !== null) return { status: 'in_transit' };
  return SIGNED.has(code) ? { status: signedBy(text) ?? known.status } : known;
}

export function meaningOfTrace(action: string, text: string): ReadScan['meaning'] {
  return meaningOfCode(action, text) ?? meaningOfChinese(text) ?? 'silent';
}

/** The parcel's own state. A plain 4 stays after the trouble is over, so it says nothing. */
export function meaningOfParcel(state: string, stateEx: string, text: string): Meaning | undefined {
  return meaningOfCode(stateEx, text) ?? (state === '4' ? undefined : meaningOfCode(state, text));
}

/** A refusal has only a text. */
const OUTCOME_OF_REASON: readonly (readonly [RegExp, Failure | 'not_found'])[] = [
  [/暂无|没有(?:物流|轨迹)|无(?:物流|轨迹|结果)|查无|未查询到|单号[^，,。；;]{0,16}不存在/, 'not_found'],
  [/手机|电话|后四位|CustomerName/i, 'needs_input'],
  [/余额|欠费|套餐|次数|额度|充值/, 'quota'],
  [/频率|频繁|并发|QPS|超限/i, 'rate_limited'],
  [/签名|DataSign|EBusinessID|ApiKey|用户ID|授权|权限|未开通|认证|非法用户|IP(?:地址|白名单)/i, 'auth'],
  [/(?:单号|LogisticCode)[^，,。；;]{0,16}(?:错|误|非法|无效|不正确|不合法|不符|格式|长度)/i, 'invalid_number'],
  [/系统|服务器|超时|繁忙|稍后/, 'transient'],
];

export function outcomeOfReason(reason: string): Failure | 'not_found' {
  return OUTCOME_OF_REASON.find(([pattern]) => pattern.test(reason))?.[1] ?? 'unreadable';
}

/** Kdniao's code (`ShipperCode`) for each of our carriers that it serves. */
export const COMPANIES: Readonly<Record<string, string>> = {
  'sf-express': 'SF',
  yto: 'YTO',
  zto: 'ZTO',
  sto: 'STO',
  yunda: 'YD',
  jd: 'JD',
  jtexpress: 'JTSD',
  'china-ems': 'EMS',
  'china-post': 'YZPY',
  'best-express': 'HTKY',
  'best-freight': 'BTWL',
  deppon: 'DBL',
  ane: 'ANE',
  'zto-freight': 'ZTOKY',
  'yunda-freight': 'YDKY',
  'jd-freight': 'JDKY',
  kuayue: 'KYSY',
  danniao: 'DNWL',
  zjs: 'ZJS',
  tiantian: 'HHTT',
  'uc-express': 'UC',
  yimidida: 'YMDD',
  shunxin: 'SX',
};
