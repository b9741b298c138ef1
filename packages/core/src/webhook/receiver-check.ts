import { type Message, message } from '../languages/message.ts';
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
export type NoAnswer = { isTimeout: boolean; reason: Message };

export type CheckResult = {
  name: CheckName;
  expected: ExpectedAnswer;
  http_status: number;
  response_ms: number;
  passed: boolean;
  /** Advice on what to fix or consider; null if there is nothing. */
  advice: Message | null;
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
    if (!answer)
      return { name, expected, http_status: 0, response_ms: 0, passed: false, advice: message('check.not_sent') };
    const { status, durationMs } = answer;
    const passed = isAsExpected(name, status);
    const isExplained = name === 'duplicate' && refusesValid && status !== 0;
    const advice = passed ? remarkOn(answer) : isExplained ? message('check.as_valid') : adviceOn(answer, acceptsAll);
    return { name, expected, http_status: status, response_ms: durationMs, passed, advice };
  });
  return { passed: checks.every(({ passed }) => passed), checks };
}

/** A remark about an answer that is right. */
function remarkOn({ name, status, durationMs }: CheckAnswer): Message | null {
  if (durationMs > SLOW_MS) return message('check.slow', { seconds: seconds(durationMs) });
  return name === 'stale' && status === STANDARD_STALE ? message('check.standard_stale') : null;
}

function adviceOn({ name, status, noAnswer, durationMs }: CheckAnswer, acceptsAll: boolean): Message {
  if (noAnswer !== null) return adviceOnNoAnswer(name, noAnswer, durationMs);
  if (status >= 300 && status <= 399) return message('check.redirect', { status });
  if (acceptsAll) return message('check.accepts_all');
  const crash = status >= 500 ? message('check.crash') : '';
  switch (name) {
    case 'valid':
      return adviceOnValid(status);
    case 'stale':
      return isSuccess(status) ? message('check.stale_accepted') : message('check.stale_other', { status, crash });
    case 'tampered':
      return isSuccess(status)
        ? message('check.tampered_accepted')
        : message('check.tampered_other', { status, crash });
    case 'duplicate':
      return message(status === 409 || status === 422 ? 'check.duplicate_known' : 'check.duplicate_other', { status });
    default:
      return name satisfies never;
  }
}

function adviceOnNoAnswer(name: CheckName, { isTimeout, reason }: NoAnswer, durationMs: number): Message {
  if (isTimeout) return message('check.timeout', { seconds: seconds(durationMs) });
  return name === 'stale' || name === 'tampered'
    ? message('check.no_answer_refuse', { reason, status: expectedOf(name) })
    : message('check.no_answer', { reason });
}

function adviceOnValid(status: number): Message {
  if (status === 401 || status === 403) return message('check.valid_refused');
  if (status === 400) return message('check.valid_400');
  if (status === 404 || status === 405) return message('check.valid_404', { status });
  if (status === 410) return message('check.valid_410');
  if (status === 413 || status === 415) return message('check.valid_413', { status });
  return message(status >= 500 ? 'check.valid_500' : 'check.valid_other', { status });
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1).replace(/\.0$/, '');
}
