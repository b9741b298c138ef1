import {
  ATTENTION_DAYS,
  ATTENTION_REASONS,
  ATTENTION_RULES,
  accountAttention,
  attentionOf,
  lateDates,
} from '@pts/core/attention';
import { ERRORS } from '@pts/core/errors';
import { damageOf } from '@pts/core/imports';
import { GONE_REASON, giveUpReason } from '@pts/core/webhook/endpoint';
import { CHECKS, judgeReceiver } from '@pts/core/webhook/receiver-check';
import { verdictOf } from '@pts/core/webhook/retry';
import { describe as noAnswer } from '@pts/egress/exchange';
import { translator } from './phrases.ts';
import { PHRASES_ZH } from './phrases-zh.ts';

const translate = translator(PHRASES_ZH);
const NOW = new Date('2031-04-05T06:00:00Z');

/** What the service says of a receiver that answers so, or does not. */
function advices(): string[] {
  const answers = [200, 204, 302, 400, 401, 403, 404, 409, 410, 413, 422, 500].flatMap((status) =>
    CHECKS.map(({ name }) => ({ name, status, noAnswer: null, durationMs: status === 204 ? 6000 : 20 })),
  );
  const silent = [true, false].flatMap((isTimeout) =>
    CHECKS.map(({ name }) => ({
      name,
      status: 0,
      noAnswer: { isTimeout, reason: 'dns: the host name does not resolve to a public address' },
      durationMs: 10_000,
    })),
  );
  const alone = [...answers, ...silent].flatMap((answer) => judgeReceiver([answer]).checks);
  const together = [200, 500].flatMap(
    (status) => judgeReceiver(CHECKS.map(({ name }) => ({ name, status, noAnswer: null, durationMs: 20 }))).checks,
  );
  return [...alone, ...together].flatMap(({ advice }) => advice ?? []);
}

const quota = { limit: 100, remaining: 0, resetsAt: NOW };
const endpoint = { id: 'w1', url: 'https://shop.example/hook', enabled: false, disabledReason: GONE_REASON };
const tlsCodes = ['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ODD'];

test.each([
  ['an attempt', [200, 302, 500].flatMap((status) => verdictOf(status, 1, NOW).error ?? [])],
  [
    'an attempt without an answer',
    [
      noAnswer({ name: 'TimeIsOver' }, null, 10_000),
      noAnswer({ name: 'RefusedAddress' }, 'dns', 1),
      noAnswer({ code: 'ECONNREFUSED' }, 'connect' as never, 1),
      ...tlsCodes.map((code) => noAnswer({ code }, 'tls', 1)),
      noAnswer({}, null, 1),
    ].map(({ reason }) => reason),
  ],
  ['a check', advices()],
  ['an endpoint that was disabled', [giveUpReason(new Date(0), NOW) ?? '', GONE_REASON]],
  ['the account', accountAttention(quota, [endpoint]).map(({ message }) => message)],
  [
    'a parcel that needs attention',
    ATTENTION_REASONS.flatMap((reason) =>
      ATTENTION_RULES[reason].map(
        ({ states: [subStatus = 'pending'], problem = null, isUndecided = false, lateDays }) => {
          const updatedAt = new Date(NOW.getTime() - (lateDays === undefined ? 30 * 86_400_000 : 0));
          const estimate = lateDays === undefined ? null : { to: lateDates(lateDays, NOW)[0] ?? '' };
          const parcel = { subStatus, problem, isUndecided, estimate, updatedAt, stoppedAt: null };
          return attentionOf(parcel, NOW, ATTENTION_DAYS)?.message ?? '';
        },
      ),
    ),
  ],
  ['a damaged number', ['1.23E+15', '420000000000.0'].map((text) => `Invalid: tracking_number ${damageOf(text)}.`)],
  ['a refusal', Object.values(ERRORS).map(({ text }) => text)],
])('what the service says of %s is there in Chinese', (_, texts) => {
  expect(texts.length).toBeGreaterThan(0);
  expect(texts.filter((text) => !/[\u4e00-\u9fff]/.test(translate(text) ?? ''))).toEqual([]);
});

test('the parts of a sentence are translated, too', () => {
  expect(translate('check, stale push: the receiver answered 200; 400 was expected')).toBe(
    '检查（过期推送）：接收端回答 200；应为 400',
  );
});

test('a refusal is translated as a whole, or not at all', () => {
  const number = 'tracking_number must have 5 to 50 letters and digits; spaces and hyphens are dropped';
  expect(translate(`Invalid: ${number}.`)).toBe('无效：单号须为 5 至 50 个字母和数字；空格和连字符会去掉。');
  expect(translate('Invalid: events must not be empty.')).toBe('无效：请至少选择一种事件。');
  expect(translate('Invalid: something must be odd.')).toBeNull();
});

test('what is not in the table has no translation', () => {
  expect(translate('Anything else')).toBeNull();
});

test('both sides of a phrase have the same parts', () => {
  const partsOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([part]) => part).sort();
  for (const [english, chinese] of PHRASES_ZH)
    expect(partsOf(english)).toEqual(expect.arrayContaining(partsOf(chinese)));
});
