import { parseSubscribed, subscribeOne } from './subscribe.ts';

const answered = (returnCode: string, message = '') =>
  parseSubscribed({
    kind: 'response',
    status: 200,
    headers: {},
    text: JSON.stringify({ result: returnCode === '200', returnCode, message }),
  });

test.each([
  ['200', '提交成功', { kind: 'subscribed' }],
  ['501', '重复订阅', { kind: 'already' }],
  ['500', '服务器错误', { kind: 'failed', failure: 'temporary' }],
  ['500', '不支持的快递公司', { kind: 'refused' }],
  ['600', '您不是合法的订阅者', { kind: 'failed', failure: 'auth' }],
  ['601', 'KEY已过期', { kind: 'failed', failure: 'quota' }],
  ['700', '订阅方的订阅数据存在错误', { kind: 'refused' }],
  ['701', '拒绝订阅的快递公司', { kind: 'refused' }],
  ['999', '', { kind: 'failed', failure: 'unreadable' }],
])('the return code %s (%s) is understood', (code, message, outcome) => {
  expect(answered(code, message)).toMatchObject(outcome);
});

test('trouble of the connection is repeated, and never an exception', () => {
  const outcomes = [
    parseSubscribed({ kind: 'no_response', reason: 'timeout', detail: 'late' }),
    parseSubscribed({ kind: 'response', status: 503, headers: {}, text: '' }),
    parseSubscribed({ kind: 'response', status: 429, headers: { 'retry-after': '7' }, text: '' }),
    parseSubscribed({ kind: 'response', status: 200, headers: {}, text: '<html>' }),
  ];
  expect(outcomes).toMatchObject([
    { failure: 'transient' },
    { failure: 'transient' },
    { failure: 'rate_limited', retryAfterSeconds: 7 },
    { failure: 'unreadable' },
  ]);
});

test.each([
  ['a carrier that it does not serve', { number: 'YT8306172945061', carrier: 'cainiao' }],
  ['a number that is too short', { number: 'YT830', carrier: 'yto' }],
  ['a number that is too long', { number: `YT${'8'.repeat(31)}`, carrier: 'yto' }],
])('%s costs no call', async (_what, question) => {
  const post = () => Promise.reject(new Error('it was called'));
  const subscriber = { url: 'https://poll.example/poll', key: 'k', post };
  const callback = { url: 'https://api.example/callbacks/x/y', salt: 's' };
  expect(await subscribeOne(subscriber, question, callback, undefined)).toMatchObject({ kind: 'refused' });
});
