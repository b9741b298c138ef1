import type { Repeat } from '@pts/contract/operation';
import { type Failure, NoAnswerError, TrackingApiError } from './errors.ts';
import { retryDelayMs } from './request.ts';

const refused = (status: number, retryAfterSeconds: number | null = null) =>
  new TrackingApiError({ code: status, status, message: '', retryAfterSeconds });
const page = (status: number) => new NoAnswerError({ reason: 'not_the_api', message: '', status });
const lost = (reason: 'not_sent' | 'network' | 'timeout' | 'cut_off') => new NoAnswerError({ reason, message: '' });
const rule = { repeat: 'safe' as Repeat, maxRetries: 10, maxRetryDelayMs: Number.POSITIVE_INFINITY, random: () => 1 };

// biome-ignore format: a table
test.each<[string, Failure, safe: boolean, keyed: boolean, once: boolean]>([
  ['429', refused(429), true, true, true],
  ['429 of a proxy', page(429), true, true, true],
  ['no connection', lost('not_sent'), true, true, true],
  ['a lost connection', lost('network'), true, true, false],
  ['a timeout', lost('timeout'), true, true, false],
  ['500', refused(500), true, true, false],
  ['503', refused(503, 5), true, true, false],
  ['502 of a proxy', page(502), true, true, false],
  ['a stream that was cut off', lost('cut_off'), false, false, false],
  ['a page instead of an answer', page(200), false, false, false],
  ['400 of a proxy', page(400), false, false, false],
  ['an error of the request', new TrackingApiError({ code: 4110, status: 400, message: '' }), false, false, false],
  ['a retrack too soon', new TrackingApiError({ code: 4113, status: 400, message: '', retryAfterSeconds: 3000 }), false, false, false],
  ['401', refused(401), false, false, false],
  ['a request under its key that is still running', refused(409, 5), true, true, false],
  ['a key of another request', refused(409), false, false, false],
])('%s: sent again or not, as the table says', (_what, failure, safe, keyed, once) => {
  const isSentAgain = (repeat: Repeat) => retryDelayMs(failure, 0, { ...rule, repeat }) !== null;
  expect([isSentAgain('safe'), isSentAgain('keyed'), isSentAgain('once')]).toEqual([safe, keyed, once]);
});

test('a 5xx waits up to a limit that doubles, and never beyond 30 seconds', () => {
  const waits = Array.from({ length: 9 }, (_, retries) => retryDelayMs(refused(500), retries, rule));
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  expect(retryDelayMs(refused(500), 3, { ...rule, random: () => 0 })).toBe(0);
});

test('a 429 waits as long as it says, otherwise 120 seconds, and never less', () => {
  const min = { ...rule, random: () => 0 };
  expect([refused(429, 7), refused(429), page(429)].map((failure) => retryDelayMs(failure, 0, min))).toEqual([
    7000, 120_000, 120_000,
  ]);
  expect(retryDelayMs(refused(429, 7), 0, rule)).toBe(8000);
});

test('a longer wait than allowed fails at once', () => {
  const impatient = { ...rule, maxRetryDelayMs: 10_000 };
  expect(retryDelayMs(refused(429, 11), 0, impatient)).toBeNull();
  expect(retryDelayMs(refused(429, 10), 0, impatient)).toBe(11_000);
  expect(retryDelayMs(refused(500), 9, impatient)).toBe(10_000);
  // A timer for a month would end at once.
  expect(retryDelayMs(refused(503, 30 * 86_400), 0, rule)).toBeNull();
});

test('after the last retry there are no more', () => {
  expect(retryDelayMs(refused(500), 10, rule)).toBeNull();
  expect(retryDelayMs(refused(429), 0, { ...rule, maxRetries: 0 })).toBeNull();
});
