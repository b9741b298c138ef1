import { toUtcSeconds } from '../time.ts';
import type { EventKind } from '../tracking/status.ts';
import { familyBody } from './family.ts';
import type { StaticHeaders } from './headers.ts';
import { type PushFormat, pingBody, pushHeaders, sampleBody, signedText } from './push.ts';
import { isSuccess } from './retry.ts';

/** The pushes that test whether a receiver follows spec section 6.3, in the order in which they are sent. */
export const CHECKS = [
  { name: 'valid', expected: '2xx' },
  { name: 'stale', expected: '400' },
  { name: 'tampered', expected: '401' },
  { name: 'duplicate', expected: '2xx' },
] as const;

export type CheckName = (typeof CHECKS)[number]['name'];
type ExpectedAnswer = (typeof CHECKS)[number]['expected'];

export type CheckPlan = {
  webhookId: string;
  /** Newest first; after a rotation there are several. */
  secrets: readonly string[];
  startedAt: Date;
  /** Three ids: of the valid message and its duplicate, of the stale and of the tampered one. */
  messageIds: readonly [valid: string, stale: string, tampered: string];
  /** Whether the endpoint belongs to a test account: the pings say so, as its pushes do. */
  isTest?: boolean;
  /** Whose sample is sent; a ping if omitted. */
  event?: EventKind | 'ping';
  /** How it is sent, if not as by default. */
  format?: PushFormat;
  staticHeaders?: StaticHeaders | null;
};

export type CheckRequest = {
  messageId: string;
  attempt: number;
  headers: Record<string, string>;
  /** The text that is signed. */
  signedString: string;
  body: string;
};

/** The response to one request: `status` is 0 if there was none, and `noAnswer` says why. */
export type CheckAnswer = { name: CheckName; status: number; noAnswer: NoAnswer | null; durationMs: number };
export type NoAnswer = { isTimeout: boolean; reason: string };

export type CheckResult = {
  name: CheckName;
  expected: ExpectedAnswer;
  http_status: number;
  response_ms: number;
  passed: boolean;
  /** Advice on what to fix or consider; null if there is nothing. */
  advice: string | null;
};

/** Well over the 300 seconds, so that a receiver whose clock is slightly behind still sees it as stale. */
const STALE_SECONDS = 420;
/** Slower answers are close to the timeout of 10 seconds. */
const SLOW_MS = 5000;
const STANDARD_STALE = 401;

/**
 * One request of the check, signed for the moment of sending. It is a ping or a sample: no parcel changes. Different
 * messages have different ids, so a receiver that drops duplicates still checks each signature.
 */
export function checkRequest(name: CheckName, plan: CheckPlan, sentAt: Date): CheckRequest {
  const [valid, stale, tampered] = plan.messageIds;
  const messageId = { valid, stale, tampered, duplicate: valid }[name];
  const attempt = name === 'duplicate' ? 2 : 1;
  const signedAt = name === 'stale' ? new Date(sentAt.getTime() - STALE_SECONDS * 1000) : sentAt;
  const { event = 'ping', format = 'v1', secrets, staticHeaders = null } = plan;
  const body = event === 'ping' && format === 'v1' ? bodyOf(plan) : testBody(event, samplePlan(plan), format);
  const headers = pushHeaders({ messageId, event, attempt, body, secrets, sentAt: signedAt, format, staticHeaders });
  const signedString = signedText(signedAt, body);
  if (name !== 'tampered') return { messageId, attempt, headers, signedString, body };
  // The family's signature does not cover the body, so it is changed as well.
  if (headers.signature !== undefined) headers.signature = headers.signature.replace(/^./, otherDigit);
  return { messageId, attempt, headers, signedString, body: tamper(body) };
}

function samplePlan({ webhookId, startedAt, isTest = false }: CheckPlan) {
  return { webhookId, at: startedAt, isTest };
}

function otherDigit(digit: string): string {
  return digit === '0' ? '1' : '0';
}

/**
 * The body of a test push. In the API family's form, a ping is a sample as well: its receivers expect a tracking.
 */
export function testBody(
  event: EventKind | 'ping',
  { webhookId, at, isTest }: { webhookId: string; at: Date; isTest: boolean },
  format: PushFormat,
): string {
  if (format === 'v4') return familyBody(sampleBody(event === 'ping' ? 'tracking_update' : event, at));
  return event === 'ping' ? pingBody(at, webhookId, { isTest }) : sampleBody(event, at);
}

/**
 * JSON that changes when it is parsed and serialized again, so the check finds receivers that verify the parsed body.
 */
function bodyOf({ webhookId, startedAt, isTest = false }: CheckPlan): string {
  const test = isTest ? { test: true } : {};
  const data = { webhook_id: webhookId, test: true, note: 'receiver check · 测试' };
  return JSON.stringify({ event: 'ping', created_at: toUtcSeconds(startedAt), ...test, data }, null, 1);
}

function tamper(body: string): string {
  return body.replace(/"test":( ?)true|"message":"Success"/, (text, space = '') =>
    text.startsWith('"test"') ? `"test":${space}null` : '"message":null',
  );
}

/** The answer of a correct receiver. */
export function expectedOf(name: CheckName): ExpectedAnswer {
  return CHECKS.find((check) => check.name === name)?.expected ?? '2xx';
}

/** Whether a receiver may answer so. A stale push is 401 in Standard Webhooks, whose libraries many receivers use. */
export function isAsExpected(name: CheckName, status: number): boolean {
  if (name === 'stale' && status === STANDARD_STALE) return true;
  const expected = expectedOf(name);
  return expected === '2xx' ? isSuccess(status) : String(status) === expected;
}

/** Evaluates the four answers of one receiver together (spec section 6.3): one can explain another. */
export function judgeReceiver(answers: readonly CheckAnswer[]): { passed: boolean; checks: CheckResult[] } {
  const acceptsAll = answers.every(({ status }) => isSuccess(status));
  const refusesValid = answers.some(({ name, status }) => name === 'valid' && !isSuccess(status));
  const checks = CHECKS.map(({ name, expected }): CheckResult => {
    const answer = answers.find((one) => one.name === name);
    if (!answer) return { name, expected, http_status: 0, response_ms: 0, passed: false, advice: NOT_SENT };
    const { status, durationMs } = answer;
    const passed = isAsExpected(name, status);
    const isExplained = name === 'duplicate' && refusesValid && status !== 0;
    const advice = passed ? remarkOn(answer) : isExplained ? AS_THE_VALID_ONE : adviceOn(answer, acceptsAll);
    return { name, expected, http_status: status, response_ms: durationMs, passed, advice };
  });
  return { passed: checks.every(({ passed }) => passed), checks };
}

const AS_STANDARD_WEBHOOKS =
  'It passed: 401 is what Standard Webhooks says of a stale push. This service documents 400; both are right.';
const NOT_SENT = 'Not sent, because the receiver did not answer the valid push. Fix that first.';
const AS_THE_VALID_ONE = 'It repeats the valid push, which was refused too. Fix that first.';
const VERIFIES_NOTHING =
  'The receiver answers 2xx to everything: it does not verify pushes, so anyone can send it events. Verify X-Webhook-Signature and X-Webhook-Timestamp first.';

/** A remark about an answer that is right. */
function remarkOn({ name, status, durationMs }: CheckAnswer): string | null {
  if (durationMs <= SLOW_MS) return name === 'stale' && status === STANDARD_STALE ? AS_STANDARD_WEBHOOKS : null;
  return `It passed, but took ${seconds(durationMs)} s. After 10 s a push counts as failed and is retried: answer first, then do the work.`;
}

function adviceOn({ name, status, noAnswer, durationMs }: CheckAnswer, acceptsAll: boolean): string {
  if (noAnswer !== null) return adviceOnNoAnswer(name, noAnswer, durationMs);
  if (status >= 300 && status <= 399)
    return `It answered ${status}, a redirect. Redirects are never followed: register the target URL instead.`;
  if (acceptsAll) return VERIFIES_NOTHING;
  switch (name) {
    case 'valid':
      return adviceOnValid(status);
    case 'stale':
      return adviceOnStale(status);
    case 'tampered':
      return adviceOnTampered(status);
    case 'duplicate':
      return adviceOnDuplicate(status);
    default:
      return name satisfies never;
  }
}

function adviceOnNoAnswer(name: CheckName, { isTimeout, reason }: NoAnswer, durationMs: number): string {
  if (isTimeout)
    return `It did not answer within ${seconds(durationMs)} s. Answer as soon as the push is verified and stored, and do the work afterwards.`;
  const refuse = { stale: ' Refuse the push with status 400.', tampered: ' Refuse the push with status 401.' };
  const instead = name === 'stale' || name === 'tampered' ? refuse[name] : '';
  return `There was no answer (${reason}).${instead || ' Is the URL right, the server running, and its certificate valid?'}`;
}

function adviceOnValid(status: number): string {
  if (status === 401 || status === 403)
    return 'It refused a correctly signed push. Does it use the whole secret of this webhook, including whsec_? Does it verify the raw bytes of the body? A body that was parsed and serialized again has a different signature: in Express, use express.raw() for this route. Does the route require a login?';
  if (status === 400)
    return 'It refused a valid push. Is its clock within 300 s of the current time? Does it read X-Webhook-Timestamp as seconds, not milliseconds? Does it accept any event, including "ping"?';
  if (status === 404 || status === 405)
    return `It answered ${status}: nothing accepts POST at this URL. Is the registered path right?`;
  if (status === 410) return 'It answered 410 Gone: a real push would disable this webhook.';
  if (status === 413 || status === 415)
    return `It answered ${status}: it must accept application/json of up to 1 MiB for every event.`;
  if (status >= 500) return `It failed with ${status}. Check its log: a ping has no parcel in its data.`;
  return `It answered ${status}. Answer 2xx to every verified push, including events that you do not use.`;
}

function adviceOnStale(status: number): string {
  if (isSuccess(status))
    return 'It accepted a push that was signed 7 minutes ago, so an attacker could replay a recorded push. Answer 400 when X-Webhook-Timestamp differs from your clock by more than 300 s in either direction.';
  return `It refused the push with ${status}, not with 400: ${refusalIs(status)}check the timestamp first, and answer 400 if it is off by more than 300 s.`;
}

function adviceOnTampered(status: number): string {
  if (isSuccess(status))
    return 'It accepted a body that was changed after it was signed, so anyone can forge events. Compare the HMAC-SHA256 of "<timestamp>.<raw body>" in constant time with each v1 of X-Webhook-Signature, and answer 401 if none is equal.';
  return `It refused the push with ${status}, not with 401: ${refusalIs(status)}answer 401 to a wrong signature.`;
}

function refusalIs(status: number): string {
  return status >= 500 ? 'this looks like an unhandled error; ' : '';
}

function adviceOnDuplicate(status: number): string {
  if (status === 409 || status === 422)
    return `It answered ${status} to a message that it knows. Answer 2xx again: any other status counts as failed, and the message is retried.`;
  return `It answered ${status} to the valid push sent a second time. Delivery is at least once: store X-Webhook-Id, and answer 2xx to a known message without doing the work again.`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1).replace(/\.0$/, '');
}
