import { createHash } from 'node:crypto';
import { kuaidi100, parseCallback, parseSubscribed, subscribeOne, verifyCallback } from './index.ts';

const SALT = '0f1e2d3c4b5a69788796a5b4c3d2e1f0';
const KEYS = { salt: SALT, settings: {} };

const scan = (time: string, context: string, statusCode = '1002') => ({ time, ftime: time, context, statusCode });
const RESULT = {
  message: 'ok',
  nu: 'YT8306172945061',
  com: 'yuantong',
  status: '200',
  state: '0',
  data: [scan('2031-05-02 09:10:00', '离开柏州'), scan('2031-05-01 18:00:00', '柏州已揽收', '103')],
};

const signed = (param: string, salt = SALT) => {
  const sign = createHash('md5')
    .update(param + salt)
    .digest('hex');
  return { param, sign, body: new URLSearchParams({ param, sign }).toString() };
};
const bodyOf = (more: object = {}, result: object = {}) =>
  signed(JSON.stringify({ status: 'polling', message: '', lastResult: { ...RESULT, ...result }, ...more })).body;
const read = (more?: object, result?: object) => parseCallback(bodyOf(more, result))?.[0];
const verify = (rawBody: string) => verifyCallback({ headers: {}, rawBody }, KEYS);

describe('the signature', () => {
  test('is MD5 over the decoded param and the salt, in either case', () => {
    const { param, sign, body } = signed('{"a":"成功 & 100%"}');
    expect(verify(body)).toBe(true);
    expect(verify(new URLSearchParams({ param, sign: sign.toUpperCase() }).toString())).toBe(true);
  });

  test.each([
    ['of another salt', signed('{}', 'guessed').body],
    ['of another param', new URLSearchParams({ param: '{"b":1}', sign: signed('{"a":1}').sign }).toString()],
    ['that is missing', 'param=%7B%7D'],
    ['that is empty', 'param=%7B%7D&sign='],
    ['that is not an MD5', `param=%7B%7D&sign=${'z'.repeat(32)}`],
    ['that is longer', `param=%7B%7D&sign=${signed('{}').sign}00`],
    ['without a param', `sign=${createHash('md5').update(SALT).digest('hex')}`],
    ['of an empty body', ''],
  ])('a signature %s is refused', (_what, body) => {
    expect(verify(body)).toBe(false);
  });
});

test('a callback is the whole history, as a query answers it', () => {
  expect(read()).toMatchObject({
    number: 'YT8306172945061',
    carriers: ['yto'],
    watch: 'going_on',
    answer: { kind: 'found', scans: [{ time: '2031-05-02T01:10:00Z' }, { time: '2031-05-01T10:00:00Z' }] },
  });
  expect(read()).not.toHaveProperty('movedTo');
});

test.each([
  ['polling', 'going_on'],
  ['updateall', 'going_on'],
  ['shutdown', 'ended'],
  ['abort', 'aborted'],
  ['', 'going_on'],
])('the state %s means that the watch is %s', (status, watch) => {
  expect(read({ status })?.watch).toBe(watch);
});

test('a shutdown ends the watch of the parcel, so that no later scan is expected', () => {
  expect(read({ status: 'shutdown' }, { state: '304' })?.answer).toMatchObject({ kind: 'found', isWatchEnded: true });
});

test('an abort without any scan says that nothing was found, and why', () => {
  const callback = read({ status: 'abort', message: '3天查询无记录' }, { status: '201', data: [] });
  expect(callback).toMatchObject({ watch: 'aborted', reason: '3天查询无记录', answer: { kind: 'not_found' } });
});

test('an abort may come with no result but the number', () => {
  const body = signed(JSON.stringify({ status: 'abort', lastResult: { nu: 'YT8306172945061', com: 'yuantong' } })).body;
  expect(parseCallback(body)).toMatchObject([{ watch: 'aborted', answer: { kind: 'not_found' } }]);
});

test('a corrected company continues under its own code', () => {
  const callback = read({ status: 'abort', comOld: 'yuantong', comNew: 'zhongtong' }, { com: 'zhongtong' });
  expect(callback).toMatchObject({ watch: 'going_on', carriers: ['yto', 'zto'], movedTo: 'zto' });
});

test('an unknown corrected company changes nothing', () => {
  const callback = read({ status: 'polling', comOld: 'yuantong', comNew: 'nosuchcompany' });
  expect(callback).toMatchObject({ watch: 'going_on', carriers: ['yto'] });
  expect(callback).not.toHaveProperty('movedTo');
});

test('a company that has several of our carriers names the one whose numbers have this form', () => {
  expect(read({}, { com: 'chinapost', nu: 'RX283019475CN' })?.carriers).toEqual(['china-post']);
});

test.each([
  ['no form', '{}'],
  ['no JSON', 'param=%3Chtml%3E'],
  ['no result', signed('{"status":"polling"}').body],
  ['no number', bodyOf({}, { nu: '' })],
])('a callback with %s cannot be read', (_what, body) => {
  expect(parseCallback(body)).toBeNull();
});

test('a callback with an unreadable scan fails as a whole, like an answer', () => {
  expect(read({}, { data: [scan('tomorrow', '离开柏州')] })?.answer).toMatchObject({ failure: 'unreadable' });
});

test('the response is the one that Kuaidi100 does not repeat', () => {
  const { status, body, type } = kuaidi100.callbacks?.accepted ?? {};
  expect({ status, type }).toEqual({ status: 200, type: 'application/json; charset=utf-8' });
  expect(JSON.parse(body ?? '')).toEqual({ result: true, returnCode: '200', message: '成功' });
});

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
