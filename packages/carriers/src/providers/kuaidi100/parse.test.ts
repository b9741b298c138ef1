import { readFileSync } from 'node:fs';
import type { HttpOutcome } from '../../http.ts';
import { parseQuery } from './parse.ts';

const read = (file: string) => readFileSync(new URL(`./fixtures/${file}`, import.meta.url), 'utf8');
const response = (text: string, status = 200, headers: Record<string, string> = {}): HttpOutcome => ({
  kind: 'response',
  status,
  headers,
  text,
});
const parseFixture = (file: string) => parseQuery(response(read(file)));
const parseJson = (body: unknown) => parseQuery(response(JSON.stringify(body)));

/** Of each fixture: the kind of answer or failure, or its scans as [time, status, location]. */
const EXPECTED: Record<string, string | string[][]> = JSON.parse(read('expected.json'));

test.each(Object.entries(EXPECTED))('%s is read as expected', (file, expected) => {
  const answer = parseFixture(file);
  if (answer.kind === 'found') {
    expect(answer.scans.map(({ time, status, location }) => [time, status, location])).toEqual(expected);
  } else {
    expect(answer.kind === 'failed' ? answer.failure : answer.kind).toBe(expected);
  }
});

test('a scan keeps the text and the time as the carrier wrote them, and owns up to the assumed zone', () => {
  const answer = parseFixture('detailed_delivered.json');
  expect(answer.kind === 'found' && answer.scans.at(-1)).toEqual({
    time: '2031-03-10T07:40:12Z',
    timeRaw: '2031-03-10 15:40:12',
    zoneSource: 'default',
    location: '',
    description: '商家通知出货',
    status: 'info_received',
  });
});

test('without a code of its own the newest scan takes the state, wherever it stands in the list', () => {
  const { data, ...rest } = JSON.parse(read('basic_signed.json'));
  const answer = parseJson({ ...rest, data: data.toReversed() });
  expect(answer.kind === 'found' && answer.scans.at(-1)?.status).toBe('delivered');
});

test('a state that only says "on its way" leaves the newest scan to its text', () => {
  const scan = { time: '2031-05-01 08:00:00', context: '业务员外出派送', location: null };
  const answer = parseJson({ status: '200', state: '0', data: [scan] });
  expect(answer.kind === 'found' && answer.scans[0]?.status).toBe('out_for_delivery');
});

test('codes that come as numbers mean the same', () => {
  const scan = { time: '2031-05-01 08:00:00', context: '', statusCode: 501 };
  const answer = parseJson({ status: 200, state: 5, data: [scan] });
  expect(answer.kind === 'found' && answer.scans[0]?.status).toBe('available_for_pickup');
  expect(parseJson({ result: false, returnCode: 500 })).toEqual({ kind: 'not_found' });
});

test('an answer without scans is not found yet', () => {
  expect(parseJson({ status: '200', state: '0', data: [] })).toEqual({ kind: 'not_found' });
});

test('a failed phone check says what is needed and how to give it', () => {
  const answer = parseFixture('refused_408.json');
  expect(answer).toMatchObject({ kind: 'failed', failure: 'needs_input' });
  expect(answer.kind === 'failed' && answer.message).toMatch(/last four digits .*"phone"/);
});

test.each([
  ['单号格式错误', 'invalid_number'],
  ['账号未获授权', 'auth'],
  ['账户余额不够', 'quota'],
  ['手机号缺失', 'needs_input'],
  ['前所未见', 'unreadable'],
])('a 400 that says %s is %s', (message, failure) => {
  expect(parseJson({ result: false, returnCode: '400', message })).toMatchObject({ kind: 'failed', failure });
});

test('a 400 about a number that is not there is not found', () => {
  expect(parseJson({ result: false, returnCode: '400', message: '查询无结果' })).toEqual({ kind: 'not_found' });
});

test.each([
  ['no JSON', '<html>维护中</html>'],
  ['JSON of another kind', '[]'],
  ['no code', '{}'],
  ['a code nobody knows', '{"returnCode":"999"}'],
  ['no list of scans', '{"status":"200","state":"0"}'],
  ['a scan that is none', '{"status":"200","state":"0","data":[null]}'],
  ['a scan without a time', '{"status":"200","state":"0","data":[{"time":"","context":"到达"}]}'],
])('%s is unreadable', (_, text) => {
  expect(parseQuery(response(text))).toMatchObject({ kind: 'failed', failure: 'unreadable' });
});

test('HTTP 429 is rate limited, for as long as it says', () => {
  expect(parseQuery(response('', 429, { 'retry-after': '90' }))).toMatchObject({
    failure: 'rate_limited',
    retryAfterSeconds: 90,
  });
});

test.each(['柜', '揽', '待取件', '单号', '派件', '已', ' '])(
  'a scan and a refusal that repeat %j for a megabyte are read like any other, and cut',
  (word) => {
    const long = word.repeat(330_000 / word.length);
    const body = { status: '200', state: '0', data: [{ time: '2031-03-10 15:40:12', context: long, location: long }] };
    expect(parseJson(body)).toMatchObject({
      scans: [{ description: long.slice(0, 500), location: long.slice(0, 500) }],
    });
    expect(parseJson({ returnCode: '400', message: long })).toMatchObject({ kind: 'failed' });
    expect(parseJson({ ...body, data: [{ time: long, context: '' }] })).toMatchObject({ failure: 'unreadable' });
  },
);
