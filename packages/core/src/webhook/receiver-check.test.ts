import { verify } from '@pts/webhook-verifier/verify';
import { Message, message } from '../languages/message.ts';
import { EVENT_KINDS } from '../tracking/status.ts';
import { newSecret, readTrackingBody } from './push.ts';
import {
  CHECKS,
  type CheckAnswer,
  type CheckName,
  type CheckPlan,
  checkRequest,
  judgeReceiver,
} from './receiver-check.ts';

const SECRET = newSecret(new Uint8Array(32).fill(1));
const NOW = new Date('2026-03-01T16:00:00Z');
const PLAN: CheckPlan = {
  webhookId: '69a463e0a1b2c3d4e5f60718',
  secrets: [SECRET],
  startedAt: NOW,
  messageIds: ['valid-id', 'stale-id', 'tampered-id'],
};
const requestOf = (name: CheckName) => checkRequest(name, PLAN, NOW);
const verdictOf = (name: CheckName) => {
  const { headers, body } = requestOf(name);
  return verify(headers, body, SECRET, { now: NOW });
};

describe('the requests', () => {
  test.each<[CheckName, object]>([
    ['valid', { ok: true, event: 'ping', attempt: 1, messageId: 'valid-id' }],
    ['stale', { ok: false, status: 400, reason: 'timestamp_out_of_tolerance' }],
    ['tampered', { ok: false, status: 401, reason: 'signature_mismatch' }],
    ['duplicate', { ok: true, event: 'ping', attempt: 2, messageId: 'valid-id' }],
  ])('a receiver that verifies gives the %s one the expected response', (name, verdict) => {
    expect(verdictOf(name)).toMatchObject(verdict);
  });

  test('only the age of the stale one is wrong, and only the body of the tampered one', () => {
    const { headers, body } = requestOf('stale');
    const then = new Date(Number(headers['X-Webhook-Timestamp']) * 1000);
    expect(verify(headers, body, SECRET, { now: then })).toMatchObject({ ok: true });
    expect(verify(requestOf('tampered').headers, body, SECRET, { now: NOW })).toMatchObject({ ok: true });
    expect(JSON.parse(requestOf('tampered').body)).not.toEqual(JSON.parse(body));
  });

  test('a duplicate has the bytes of the valid one', () => {
    expect(requestOf('duplicate').body).toBe(requestOf('valid').body);
  });

  test('those of a test account say so, like its pushes', () => {
    const marked = checkRequest('valid', { ...PLAN, isTest: true }, NOW);
    expect(JSON.parse(marked.body)).toMatchObject({ event: 'ping', test: true });
    expect(JSON.parse(requestOf('valid').body)).not.toHaveProperty('test');
    expect(verify(marked.headers, marked.body, SECRET, { now: NOW })).toMatchObject({ ok: true });
    const tampered = checkRequest('tampered', { ...PLAN, isTest: true }, NOW);
    expect(verify(tampered.headers, tampered.body, SECRET, { now: NOW })).toMatchObject({ status: 401 });
  });

  test.each(EVENT_KINDS)('a sample of %s is marked as a test, and can be tampered with', (event) => {
    const valid = checkRequest('valid', { ...PLAN, event }, NOW);
    expect(verify(valid.headers, valid.body, SECRET, { now: NOW })).toMatchObject({ ok: true, event });
    expect(readTrackingBody(valid.body)).toMatchObject({
      event,
      test: true,
      data: event === 'account_notice' ? { notice: { kind: 'quota_used' } } : { tracking_number: 'TEST0000000000' },
    });
    const { headers, body } = checkRequest('tampered', { ...PLAN, event }, NOW);
    expect(verify(headers, body, SECRET, { now: NOW })).toMatchObject({ status: 401 });
  });

  test('a body that is parsed and written again does not verify', () => {
    const { headers, body } = requestOf('valid');
    const again = JSON.stringify(JSON.parse(body));
    expect(verify(headers, again, SECRET, { now: NOW })).toMatchObject({ reason: 'signature_mismatch' });
  });
});

type Outcome = number | [status: number, durationMs: number] | Message;

/** A receiver's four responses, in order: a status, a status and its duration, or why there was none. */
function judge(...outcomes: Outcome[]) {
  const answers = outcomes.map((outcome, i): CheckAnswer => {
    const name = CHECKS[i]?.name ?? 'valid';
    if (outcome instanceof Message) {
      const noAnswer = { isTimeout: outcome.code === 'no_answer.timeout', reason: outcome };
      return { name, status: 0, noAnswer, durationMs: 10_000 };
    }
    const [status, durationMs] = typeof outcome === 'number' ? [outcome, 20] : outcome;
    return { name, status, noAnswer: null, durationMs };
  });
  const { passed, checks } = judgeReceiver(answers);
  return { passed, failed: checks.filter((check) => !check.passed).map(({ name }) => name), checks };
}

describe('the judgement', () => {
  test('a correct receiver passes, without advice', () => {
    const { passed, checks } = judge(200, 400, 401, 204);
    expect(passed).toBe(true);
    expect(checks.map(({ advice }) => advice)).toEqual([null, null, null, null]);
  });

  test.each<[string, Outcome[], CheckName[], RegExp]>([
    ['takes everything', [200, 200, 200, 200], ['stale', 'tampered'], /does not verify pushes/],
    ['does not check the timestamp', [200, 200, 401, 200], ['stale'], /signed 7 minutes ago.*400/],
    ['does not check the signature', [200, 400, 200, 200], ['tampered'], /changed after it was signed.*401/],
    [
      'refuses a stale push with another status',
      [200, 403, 401, 200],
      ['stale'],
      /rejected the push with 403 instead of 400/,
    ],
    ['refuses a wrong signature with another status', [200, 400, 400, 200], ['tampered'], /instead of 401/],
    ['fails over a wrong signature', [200, 400, 500, 200], ['tampered'], /an unhandled error/],
    ['refuses a duplicate', [200, 400, 401, 409], ['duplicate'], /message that it already has.*2xx/],
    ['fails over a duplicate', [200, 400, 401, 500], ['duplicate'], /Store X-Webhook-Id/],
    ['has another secret or body', [401, 400, 401, 401], ['valid', 'duplicate'], /whole secret.*raw bytes/],
    ['has a wrong clock', [400, 400, 400, 400], ['valid', 'tampered', 'duplicate'], /clock within 300 s/],
    ['has no such path', [404, 404, 404, 404], ['valid', 'stale', 'tampered', 'duplicate'], /path/],
    ['redirects', [301, 301, 301, 301], ['valid', 'stale', 'tampered', 'duplicate'], /never followed/],
    ['is gone', [410, 400, 401, 410], ['valid', 'duplicate'], /would disable this webhook/],
    ['is broken', [502, 502, 502, 502], ['valid', 'stale', 'tampered', 'duplicate'], /failed with 502/],
    [
      'hangs',
      [message('no_answer.timeout', { seconds: 10 })],
      ['valid', 'stale', 'tampered', 'duplicate'],
      /within 10 s/,
    ],
    ['hangs up on a wrong signature', [200, 400, message('no_answer.failed'), 200], ['tampered'], /status 401/],
  ])('a receiver that %s gets advice', (_what, outcomes, failed, advice) => {
    const judged = judge(...outcomes);
    expect([judged.passed, judged.failed]).toEqual([false, failed]);
    expect(judged.checks.find(({ passed }) => !passed)?.advice?.toString()).toMatch(advice);
    for (const check of judged.checks) expect(check.passed).toBe(check.advice === null);
  });

  test('a push that was not sent is reported as such', () => {
    const { checks } = judge(message('no_answer.refused'));
    expect(checks.map(({ http_status }) => http_status)).toEqual([0, 0, 0, 0]);
    expect(checks[3]?.advice).toEqual(message('check.not_sent'));
  });

  test.each<[string, Outcome]>([
    ['at once', 401],
    ['after a while', [401, 4900]],
  ])('a receiver that refuses a stale push as Standard Webhooks does, %s, passes with a remark', (_when, stale) => {
    const { passed, checks } = judge(200, stale, 401, 200);
    expect([passed, checks[1]]).toMatchObject([true, { expected: '400', http_status: 401, passed: true }]);
    expect(checks.map(({ advice }) => advice)).toEqual([null, message('check.standard_stale'), null, null]);
  });

  test('a slow receiver passes, with advice', () => {
    const { passed, checks } = judge([200, 6200], 400, 401, 200);
    expect(passed).toBe(true);
    expect(checks[0]?.advice).toEqual(message('check.slow', { seconds: '6.2' }));
  });
});
