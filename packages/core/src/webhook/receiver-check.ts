import { toUtcSeconds } from '../time.ts';
import { pushHeaders } from './headers.ts';

/** The pushes that tell whether a receiver does what spec section 6.3 asks, in the order in which they are sent. */
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
};

export type CheckRequest = { messageId: string; attempt: number; headers: Record<string, string>; body: string };

/** What came back for one request: HTTP status, 0 for no answer and then why. */
export type CheckAnswer = { name: CheckName; status: number; reason: string | null; durationMs: number };

export type CheckResult = {
  name: CheckName;
  expected: ExpectedAnswer;
  http_status: number;
  response_ms: number;
  passed: boolean;
  /** What to mend, or to think of; null when there is nothing. */
  advice: string | null;
};

/** Well over the 300 seconds, so that a receiver whose clock is a little behind does not take it for recent. */
const STALE_SECONDS = 420;
/** An answer that comes later than this is close to the 10 seconds after which there is none. */
const SLOW_MS = 5000;

/**
 * One request of the check, signed for the moment of sending. All are pings: receivers know them, and no parcel of theirs
 * changes. Ids differ where messages do, so that a receiver that knows an id is not asked about its signature by chance.
 */
export function checkRequest(name: CheckName, plan: CheckPlan, sentAt: Date): CheckRequest {
  const [valid, stale, tampered] = plan.messageIds;
  const messageId = { valid, stale, tampered, duplicate: valid }[name];
  const attempt = name === 'duplicate' ? 2 : 1;
  const signedAt = name === 'stale' ? new Date(sentAt.getTime() - STALE_SECONDS * 1000) : sentAt;
  const body = bodyOf(plan);
  const push = { messageId, event: 'ping', attempt, body, secrets: plan.secrets, sentAt: signedAt };
  return { messageId, attempt, headers: pushHeaders(push), body: name === 'tampered' ? tamper(body) : body };
}

/** JSON that comes out as other bytes when it is parsed and written again: such a receiver would fail sooner or later. */
function bodyOf({ webhookId, startedAt }: CheckPlan): string {
  const data = { webhook_id: webhookId, test: true, note: 'receiver check · 测试' };
  return JSON.stringify({ event: 'ping', created_at: toUtcSeconds(startedAt), data }, null, 1);
}

function tamper(body: string): string {
  return body.replace('"test": true', '"test": null');
}

/** Judges the answers of one receiver (spec section 6.3). The four belong together: one explains another. */
export function judgeReceiver(answers: readonly CheckAnswer[]): { passed: boolean; checks: CheckResult[] } {
  const acceptsAll = answers.every(({ status }) => is2xx(status));
  const refusesValid = answers.some(({ name, status }) => name === 'valid' && !is2xx(status));
  const checks = CHECKS.map(({ name, expected }): CheckResult => {
    const answer = answers.find((one) => one.name === name);
    if (!answer) return { name, expected, http_status: 0, response_ms: 0, passed: false, advice: NOT_SENT };
    const { status, durationMs } = answer;
    const passed = expected === '2xx' ? is2xx(status) : String(status) === expected;
    const isExplained = name === 'duplicate' && refusesValid && status !== 0;
    const advice = passed ? slowness(durationMs) : isExplained ? AS_THE_VALID_ONE : adviceOn(answer, acceptsAll);
    return { name, expected, http_status: status, response_ms: durationMs, passed, advice };
  });
  return { passed: checks.every(({ passed }) => passed), checks };
}

const NOT_SENT = 'Not sent, for the receiver gave no answer to the valid push. Mend that first.';
const AS_THE_VALID_ONE = 'It is the valid push once more, and was refused as that was. Mend that first.';
const VERIFIES_NOTHING =
  'The receiver answers 2xx to everything: it does not verify at all, and anybody can send it events. Verify X-Webhook-Signature and X-Webhook-Timestamp before anything else.';

function is2xx(status: number): boolean {
  return status >= 200 && status <= 299;
}

function slowness(durationMs: number): string | null {
  if (durationMs <= SLOW_MS) return null;
  return `It passed, but took ${seconds(durationMs)} s. After 10 s a push counts as failed and is sent again: answer first, work afterwards.`;
}

function adviceOn({ name, status, reason, durationMs }: CheckAnswer, acceptsAll: boolean): string {
  if (status === 0) return adviceOnNoAnswer(name, reason ?? 'connection: failed', durationMs);
  if (status >= 300 && status <= 399)
    return `It answered ${status}, a redirect. Redirects are never followed: register the address that it leads to.`;
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

function adviceOnNoAnswer(name: CheckName, reason: string, durationMs: number): string {
  if (reason.startsWith('timeout'))
    return `It did not answer within ${seconds(durationMs)} s. Answer as soon as the push is verified and stored, and do the work afterwards.`;
  const refuse = { stale: ' Refuse the push with status 400.', tampered: ' Refuse the push with status 401.' };
  const instead = name === 'stale' || name === 'tampered' ? refuse[name] : '';
  return `There was no answer (${reason}).${instead || ' Is the address right, the server up, and its certificate valid?'}`;
}

function adviceOnValid(status: number): string {
  if (status === 401 || status === 403)
    return 'It refused a push that is signed as it should be. Does it hold the whole secret of this webhook, whsec_ included? Does it verify the raw bytes of the body? A body that was parsed and written again has another signature: in Express use express.raw() for this route. Does the route ask for a login of its own?';
  if (status === 400)
    return 'It refused a push that is right. Is its clock within 300 s of the true time? Does it read X-Webhook-Timestamp as seconds, not milliseconds? Does it take any JSON, also of event "ping"?';
  if (status === 404 || status === 405)
    return `It answered ${status}: nothing takes POST at this address. Is the path the one that is registered?`;
  if (status === 410)
    return 'It answered 410, which says that it is gone for good: a real push would disable this webhook.';
  if (status === 413 || status === 415)
    return `It answered ${status}: it must take application/json of up to 1 MiB, whatever the event.`;
  if (status >= 500) return `It failed with ${status}. Its own log should say why: a ping has no parcel in its data.`;
  return `It answered ${status}. Answer 2xx to whatever is verified, also to an event that is of no use to you.`;
}

function adviceOnStale(status: number): string {
  if (is2xx(status))
    return 'It accepted a push that was signed 7 minutes ago, so an attacker could replay a recorded push. Answer 400 when X-Webhook-Timestamp differs from your clock by more than 300 s in either direction.';
  return `It answered ${status} and so refused it, but not as asked: ${refusalIs(status)}the timestamp is judged first, and more than 300 s are answered with 400.`;
}

function adviceOnTampered(status: number): string {
  if (is2xx(status))
    return 'It accepted a body that was changed after it was signed: anybody can make up events. Compare the HMAC-SHA256 of "<timestamp>.<raw body>" in constant time with each v1 of X-Webhook-Signature, and refuse with 401 when none is equal.';
  return `It answered ${status} and so refused it, but not as asked: ${refusalIs(status)}a wrong signature is answered with 401.`;
}

function refusalIs(status: number): string {
  return status >= 500 ? 'this looks like an error that nobody caught; ' : '';
}

function adviceOnDuplicate(status: number): string {
  if (status === 409 || status === 422)
    return `It answered ${status} to a message that it knows. Answer 2xx, as the first time: anything else counts as failed, and the same message comes again.`;
  return `It answered ${status} to the valid push sent a second time. Pushes come at least once: remember X-Webhook-Id, and answer 2xx to one that you know without doing the work again.`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1).replace(/\.0$/, '');
}
