import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import type { ScanStatus } from '@pts/core/tracking/status';
import { answerFrom, answersByNumber, refusedCall } from '../../answer/answers.ts';
import { bodyBy, failed } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import {
  codeOf,
  isObject,
  type JsonObject,
  listIn,
  oneOrMore,
  parseObject,
  textOf,
  uncutMember,
} from '../../http/json.ts';
import { meaningOfChinese, signedBy } from '../../texts/chinese.ts';
import { codeTable, GOING_BACK, type Meaning, type ReadScan } from '../../texts/meaning.ts';
import { CHINA, resolveTime } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'SF Express';

/**
 * Reads the answer to one `EXP_RECE_SEARCH_ROUTES` call: an envelope of the gateway with the answer of the service as
 * JSON in a text. No routes: an unknown number, or a phone number that does not belong to it.
 */
export function parseRoutes(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const read = bodyBy(envelopeIn, outcome, TITLE);
  if (read.kind === 'failed') return requested.map(() => read);
  const { outer, inner } = read.body;
  const code = textOf(outer, 'apiResultCode');
  if (code !== '' && code !== 'A1000') {
    const refused = failed(failureOfGateway(code), `${TITLE} responded with ${code}: ${textOf(outer, 'apiErrorMsg')}`);
    return requested.map(() => refused);
  }
  if (inner === null && code !== '')
    return requested.map(() => failed('unreadable', `${TITLE} responded without data`));
  return answersOf(inner ?? outer, requested);
}

/** The text with the answer would be truncated, so it is used unchanged, and the texts inside are sanitized. */
function envelopeIn(text: string): { outer: JsonObject; inner: JsonObject | null } | null {
  const outer = parseObject(text);
  const data = uncutMember(text, 'apiResultData');
  const inner = typeof data === 'string' ? parseObject(data) : outer?.apiResultData;
  return outer && { outer, inner: isObject(inner) ? inner : null };
}

function answersOf(answer: JsonObject, requested: readonly Requested[]): CarrierAnswer[] {
  const routes = isObject(answer.msgData) ? answer.msgData.routeResps : undefined;
  if (Array.isArray(routes) && routes.length === 0) return requested.map(() => ({ kind: 'not_found' }));
  if (Array.isArray(routes)) {
    return answersByNumber(requested, oneOrMore(routes), {
      provider: TITLE,
      numbersOf: (result) => [textOf(result, 'mailNo')],
      answerOf,
    });
  }
  const message = textOf(answer, 'errorMsg');
  const outcome = answer.success === true ? 'unreadable' : outcomeOfMessage(message);
  if (outcome === 'not_found') return requested.map(() => ({ kind: 'not_found' }));
  const code = codeOf(answer, 'errorCode') || 'no code';
  return refusedCall(requested, failed(outcome, `${TITLE} responded with ${code}: ${message}`));
}

function answerOf(result: JsonObject): CarrierAnswer {
  return answerFrom(listIn(result, 'routes').map(scanOf), TITLE);
}

function scanOf(value: unknown): ReadScan | null {
  if (!isObject(value)) return null;
  const timeRaw = textOf(value, 'acceptTime');
  const location = textOf(value, 'acceptAddress');
  const description = textOf(value, 'remark');
  const resolved = resolveTime(timeRaw, CHINA);
  const operation = codeOf(value, 'opCode') || codeOf(value, 'opcode');
  const meaning = meaningOfRoute(operation, codeOf(value, 'firstStatusCode'), description);
  return (
    resolved && {
      scan: { ...resolved, timeRaw, location, description },
      meaning,
      place: { locality: location },
      code: operation,
    }
  );
}

const codes = (status: ScanStatus | Meaning, ...list: string[]) => list.map((code) => [code, status] as const);

/** `opCode` of a scan. */
const meaningOfOperation = codeTable(
  Object.fromEntries([
    ...codes('in_transit', '43', '46', '50', '51', '54', '607'), // collected
    ...codes('in_transit', '126'), // taken out of a locker by a courier
    ...codes('in_transit', '10', '11', '30', '31', '36', '105', '106', '302', '304', '310', '407', '3036'),
    ...codes('out_for_delivery', '44', '123', '204', '880'),
    ...codes('available_for_pickup', '125', '130', '642', '657', '678'),
    ...codes('delivered', '80', '97', '128', '679'),
    ...codes('exception', '18', '33', '34', '70', '72', '77', '870'), // any kind: the text says which
    ...codes(GOING_BACK, '99', '631', '648', '660'),
  ]),
);

/** Sent back or forwarded: the text says which. */
const MAY_BE_FORWARDED: ReadonlySet<string> = new Set(['99', '648', '660']);
const FORWARDED = /转寄|转发|改寄|新地址/;
/** The image of the signature, after the fact. */
const INFORMATIONAL: ReadonlySet<string> = new Set(['8000']);

/** `firstStatusCode` of a scan: the step, for operations that this table does not have and texts that say nothing. */
const meaningOfStep = codeTable({ 1: 'in_transit', 2: 'in_transit', 3: 'out_for_delivery' });

export function meaningOfRoute(operation: string, step: string, text: string): ReadScan['meaning'] {
  if (INFORMATIONAL.has(operation)) return 'informational';
  if (MAY_BE_FORWARDED.has(operation) && FORWARDED.test(text)) return { status: 'in_transit' };
  const known = meaningOfOperation(operation);
  // Signed, also by a locker or a pickup point: the text says which.
  if (operation === '80' || (known === undefined && step === '4')) return { status: signedBy(text) ?? 'delivered' };
  return known ?? meaningOfChinese(text) ?? meaningOfStep(step) ?? 'silent';
}

/** `apiResultCode` other than A1000: the gateway did not pass the call on. */
const FAILURE_OF_GATEWAY = new Map<string, Failure>([
  ['A1001', 'auth'], // a required field is missing: the account's
  ['A1002', 'auth'], // signature or its time
  ['A1003', 'auth'], // address not allowed
  ['A1004', 'auth'], // no permission for the service
  ['A1005', 'rate_limited'],
  ['A1006', 'auth'], // signature
  ['A1008', 'auth'],
  ['A1010', 'auth'], // account of the test system
  ['A1011', 'quota'],
]);

export function failureOfGateway(code: string): Failure {
  return FAILURE_OF_GATEWAY.get(code) ?? 'transient';
}

/** The meaning of a refusal of the service, by its text: its codes are not documented as a whole. */
const OUTCOME_OF_MESSAGE: readonly (readonly [RegExp, Failure | 'not_found'])[] = [
  [/手机|电话|phone/i, 'needs_input'],
  [/权限|授权|签名|校验码|月结/, 'auth'],
  [/频繁|限流|超限/, 'rate_limited'],
  [/(?:运单|单号)[^，,。；;]{0,10}(?:错误|非法|无效|不正确|格式)/, 'invalid_number'],
  [/不存在|找不到|查无|无路由|未查询到/, 'not_found'],
  [/系统|服务器|超时|繁忙|稍后/, 'transient'],
];

export function outcomeOfMessage(message: string): Failure | 'not_found' {
  return OUTCOME_OF_MESSAGE.find(([pattern]) => pattern.test(message))?.[1] ?? 'unreadable';
}
