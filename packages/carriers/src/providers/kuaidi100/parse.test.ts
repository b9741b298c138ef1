import { readFileSync } from 'node:fs';
import type { HttpOutcome } from '../../http/http.ts';
import { carriers, findCarrier } from '../../registry/registry.ts';
import { ALSO, COMPANIES, carrierOf, companyOf, meaningOfCode, parseQuery } from './parse.ts';

const read = (file: string) => readFileSync(new URL(`./fixtures/${file}`, import.meta.url), 'utf8');
const response = (text: string, status = 200, headers: Record<string, string> = {}): HttpOutcome => ({
  kind: 'response',
  status,
  headers,
  text,
});
/** About the number that the answer names itself. */
const parseText = (text: string, carrier = 'yto') => {
  const number = /"nu":\s*"([^"]*)"/.exec(text)?.[1] ?? 'YT1';
  return parseQuery(response(text), { number, carrier });
};
const parseFixture = (file: string) => parseText(read(file));
const parseJson = (body: unknown, carrier?: string) => parseText(JSON.stringify(body), carrier);

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

test('a scan keeps the text and the time as the carrier wrote them, and marks its zone as assumed', () => {
  const answer = parseFixture('detailed_delivered.json');
  expect(answer.kind === 'found' && answer.scans.at(-1)).toEqual({
    time: '2031-03-10T07:40:12Z',
    timeRaw: '2031-03-10 15:40:12',
    zoneSource: 'default',
    code: '101',
    location: '',
    description: '商家通知出货',
    status: 'info_received',
  });
});

test('without a code of its own, the newest scan takes the state, at any position in the list', () => {
  const { data, ...rest } = JSON.parse(read('basic_signed.json'));
  const answer = parseJson({ ...rest, data: data.toReversed() });
  expect(answer.kind === 'found' && answer.scans.at(-1)?.status).toBe('delivered');
});

test('if the state only says "on its way", the text of the newest scan decides', () => {
  const scan = { time: '2031-05-01 08:00:00', context: '业务员外出派送', location: null };
  const answer = parseJson({ status: '200', state: '0', data: [scan] });
  expect(answer.kind === 'found' && answer.scans[0]?.status).toBe('out_for_delivery');
});

test('codes in the form of numbers mean the same', () => {
  const scan = { time: '2031-05-01 08:00:00', context: '', statusCode: 501 };
  const answer = parseJson({ status: 200, state: 5, data: [scan] });
  expect(answer.kind === 'found' && answer.scans[0]?.status).toBe('available_for_pickup');
  expect(parseJson({ result: false, returnCode: 500 })).toEqual({ kind: 'not_found' });
});

test('an answer without scans is not found yet', () => {
  expect(parseJson({ status: '200', state: '0', data: [] })).toEqual({ kind: 'not_found' });
  expect(parseJson({ status: '200', state: '0', data: null })).toEqual({ kind: 'not_found' });
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

test('a 400 about an unknown number is not found', () => {
  expect(parseJson({ result: false, returnCode: '400', message: '查询无结果' })).toEqual({ kind: 'not_found' });
});

test.each([
  ['no JSON', '<html>维护中</html>'],
  ['JSON of another kind', '[]'],
  ['no code', '{}'],
  ['an unknown code', '{"returnCode":"999"}'],
  ['no list of scans', '{"status":"200","state":"0"}'],
  ['null in place of a scan', '{"status":"200","state":"0","data":[null]}'],
  ['a scan without a time', '{"status":"200","state":"0","data":[{"time":"","context":"到达"}]}'],
])('%s is unreadable', (_, text) => {
  expect(parseText(text)).toMatchObject({ kind: 'failed', failure: 'unreadable' });
});

test('HTTP 429 is rate limited, for as long as it says', () => {
  const requested = { number: 'YT1', carrier: 'yto' };
  expect(parseQuery(response('', 429, { 'retry-after': '90' }), requested)).toMatchObject({
    failure: 'rate_limited',
    retryAfterSeconds: 90,
  });
});

const AT = '2031-05-01 08:00:00';
/** The statuses that a history's texts have, newest first, in a parcel's state. */
function statuses(state: string, ...scans: (string | [text: string, code: string])[]) {
  const data = scans.map((scan, index) => {
    const [context, statusCode] = typeof scan === 'string' ? [scan] : scan;
    return { time: `2031-05-${20 - index} 08:00:00`, context, ...(statusCode === undefined ? {} : { statusCode }) };
  });
  const answer = parseJson({ status: '200', state, data });
  if (answer.kind !== 'found') throw new Error(`not found: ${JSON.stringify(answer)}`);
  return answer.scans.map(({ status }) => status);
}

describe('a locker or a station that signed', () => {
  test.each([
    ['304', '已签收，签收人凭取货码签收。', 'delivered'],
    ['304', '快件已放在家门口，请查收', 'delivered'],
    ['304', '已签收，本人签收', 'delivered'],
    ['304', '快件已被代收，请及时取件', 'available_for_pickup'],
    ['304', '快件已暂存至梧桐街驿站', 'available_for_pickup'],
    ['304', '感谢选用', 'available_for_pickup'],
    ['3', '已由【菜鸟驿站】代签收', 'available_for_pickup'],
    ['301', '感谢选用', 'delivered'],
    ['303', '家人代收', 'delivered'],
  ])('in state %s and the words %s is %s', (state, text, status) => {
    expect(statuses(state, text)).toEqual([status]);
  });

  test('whose tracking has ended is reported as such', () => {
    const scan = { time: AT, context: '感谢选用' };
    expect(parseJson({ status: '200', state: '304', data: [scan] })).toMatchObject({ isWatchEnded: true });
    expect(parseJson({ status: '200', state: '5', data: [scan] })).not.toHaveProperty('isWatchEnded');
  });

  test('no longer has the parcel once a courier took it out again', () => {
    expect(statuses('0', ['快递员已从柜中取出', '501'])).toEqual(['in_transit']);
    expect(statuses('0', ['已放入柜中', '501'])).toEqual(['available_for_pickup']);
  });
});

test.each([
  ['投柜或站签收', '梧桐街驿站代收', 'available_for_pickup'],
  ['签收', '交到手中', 'delivered'],
  ['派件', '整理中', 'out_for_delivery'],
  ['已下单', '整理中', 'info_received'],
  ['柜或驿站超时未取', '整理中', 'available_for_pickup'],
  ['超时未签收', '整理中', 'exception'],
  ['超时未更新', '整理中', 'exception'],
  ['拒收', '整理中', 'exception'],
  ['派件异常', '整理中', 'exception'],
  ['无法联系', '整理中', 'exception'],
  ['超区', '整理中', 'exception'],
  ['滞留', '整理中', 'exception'],
  ['破损', '整理中', 'exception'],
  ['销单', '整理中', 'exception'],
  ['已销单', '整理中', 'exception'],
  ['清关异常', '整理中', 'exception'],
  ['在途', '已签收，签收人：本人', 'delivered'],
  ['没有此名', '整理中', 'in_transit'],
])('a scan with the name of its code alone (%s) is read like one with the code', (status, context, expected) => {
  const data = [
    { time: '2031-05-02 08:00:00', context: '交件' },
    { time: AT, context, status, statusCode: null },
  ];
  expect(parseJson({ status: '200', state: '', data })).toMatchObject({ scans: [{}, { status: expected }] });
});

test('a planned delivery, listed as the newest scan, does not take the state of the parcel or affect the status', () => {
  expect(statuses('5', '预计送达', '整理中')).toEqual(['info_received', 'out_for_delivery']);
  expect(statuses('3', '预计明天18点前送达', '整理中')).toEqual(['info_received', 'delivered']);
});

test('the text of a scan overrides a coarse code', () => {
  expect(
    statuses('0', ['正在派送中，请您准备签收', '0'], ['已到达智能柜，请及时取件', '1002'], ['已接单', '1']),
  ).toEqual(['out_for_delivery', 'available_for_pickup', 'info_received']);
});

test.each(['将很快进行派送', '准备派送', '已到达，安排派送', '待派送', '等待配送', '即将为您投递'])(
  '%s is announced, and has not happened',
  (text) => {
    expect(statuses('0', text)).toEqual(['in_transit']);
  },
);

test.each(['0', '1', '2', '7'])('no text means delivered in state %s', (state) => {
  expect(statuses(state, '整理中', '已签收，签收人：本人').at(-1)).toBe('in_transit');
});

test('a signature that hands the parcel over to another carrier is not a delivery', () => {
  for (const state of ['0', '3', '7'])
    expect(statuses(state, '已签收,签收人是: 转EMS 1199000000017')).toEqual(['in_transit']);
});

test('a scan keeps its own status, and the parcel’s state is kept beside it', () => {
  const answer = parseJson({ status: '200', state: '3', data: [{ time: AT, context: '业务员外出派送' }] });
  expect(answer).toMatchObject({ scans: [{ status: 'out_for_delivery', parcel: { status: 'delivered' } }] });
});

test.each([
  ['6', 'exception', 'going_back'],
  ['14', 'exception', 'refused'],
  ['203', 'exception', 'refused'],
])('state %s is an %s, and the parcel is %s', (state, status, course) => {
  const answer = parseJson({ status: '200', state, data: [{ time: AT, context: '整理中' }] });
  expect(answer).toMatchObject({ scans: [{ status, course }] });
});

test('an answer that reports no result is not found, whatever its state', () => {
  const answer = { status: '200', state: '3', data: [{ time: AT, context: '查无结果' }] };
  expect(parseJson(answer)).toEqual({ kind: 'not_found' });
});

test('an answer for another number says so', () => {
  const body = JSON.stringify({ status: '200', state: '0', nu: 'YT2', data: [{ time: AT, context: '到达' }] });
  expect(parseQuery(response(body), { number: 'YT1', carrier: 'yto' })).toMatchObject({ otherNumber: 'YT2' });
  expect(parseQuery(response(body), { number: 'YT2', carrier: 'yto' })).not.toHaveProperty('otherNumber');
});

test('the normalised time is used if the carrier’s own cannot be read', () => {
  const scan = { time: '1 May, 8 am', ftime: AT, context: '到达' };
  expect(parseJson({ status: '200', state: '0', data: [scan] })).toMatchObject({
    scans: [{ time: '2031-05-01T00:00:00Z', timeRaw: AT }],
  });
});

test.each([
  ['LOS ANGELES, CA US', '2031-05-01T15:00:00Z', 'location'],
  ['NEW YORK NY 10001', '2031-05-01T12:00:00Z', 'location'],
  ['Koeln, Germany', '2031-05-01T06:00:00Z', 'location'],
  ['CHICAGO IL DISTRIBUTION CENTER', '2031-05-01T13:00:00Z', 'location'],
  ['ISC NEW YORK NY(USPS)', '2031-05-01T12:00:00Z', 'location'],
  ['', '2031-05-01T12:00:00Z', 'default'],
])('a carrier abroad reports in the local time of the place: %s', (location, time, zoneSource) => {
  const answer = parseJson({ status: '200', state: '0', com: 'usps', data: [{ time: AT, context: '', location }] });
  expect(answer).toMatchObject({ scans: [{ time, zoneSource }] });
});

test.each([
  ['Arrived in Koeln, Germany', 'deutschepost', '2031-05-01T06:00:00Z', 'location'],
  ['Processed in LAKEWOOD, CO 80226', 'usps', '2031-05-01T14:00:00Z', 'location'],
  ['Handed over', 'deutschepost', '2031-05-01T06:00:00Z', 'default'],
  ['Arrived at the office', 'usps', '2031-05-01T12:00:00Z', 'default'],
])('a scan without a place is where its text says (%j), if it says so', (context, com, time, zoneSource) => {
  const answer = parseJson({ status: '200', state: '0', com, data: [{ time: AT, context, location: '' }] });
  expect(answer).toMatchObject({ scans: [{ time, zoneSource }] });
});

test.each(['ups', 'dhl', 'fedexus', 'japanpost'])('%s, too, is a carrier abroad', (com) => {
  const scan = { time: AT, context: '', location: 'SEATTLE, WA, United States' };
  expect(parseJson({ status: '200', state: '0', com, data: [scan] })).toMatchObject({
    scans: [{ time: '2031-05-01T15:00:00Z', zoneSource: 'location' }],
  });
});

test('a 400 in the form of an empty answer is a wrong key or customer', () => {
  expect(parseJson({ message: '参数错误', nu: '', status: '400', state: '0', data: [] })).toMatchObject({
    kind: 'failed',
    failure: 'auth',
  });
});

test('a 500 for a number that is not known yet is not trouble, even if it asks to retry later', () => {
  const message = '暂无轨迹，请稍后再来查询';
  expect(parseJson({ result: false, returnCode: '500', message })).toEqual({ kind: 'not_found' });
});

test('a 500 about the server is trouble of the provider, not of the number', () => {
  expect(parseJson({ result: false, returnCode: '500', message: '服务器错误' })).toMatchObject({
    failure: 'transient',
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

test('an unknown code is not guessed, and for a coarse one the text decides', () => {
  for (const code of ['', '305', '1099', 'constructor', '0', '1', '1002'])
    expect(meaningOfCode(code, '')).toBeUndefined();
});

// biome-ignore format: one state per line is readable as a table
test.each([
  // On its way
  ['0', null], ['1001', 'in_transit'], ['1002', null], ['1003', 'in_transit'],
  // Collection
  ['1', null], ['101', 'info_received'], ['102', 'info_received'], ['103', 'in_transit'],
  // Trouble
  ['2', 'exception'], ['201', 'exception'], ['202', 'exception'], ['203', 'exception refused'], ['204', 'exception'],
  ['205', 'available_for_pickup'], ['206', 'exception'], ['207', 'exception'], ['208', 'exception'], ['209', 'exception'],
  ['210', 'exception'],
  // Signed
  ['3', 'delivered'], ['301', 'delivered'], ['302', 'delivered'], ['303', 'delivered'], ['304', 'available_for_pickup'],
  // Back to the sender
  ['4', 'returned'], ['401', 'exception'], ['14', 'exception refused'], ['6', 'exception going_back'],
  // Out for delivery
  ['5', 'out_for_delivery'], ['501', 'available_for_pickup'],
  // Another carrier, customs
  ['7', 'in_transit'], ['8', 'in_transit'], ['10', 'in_transit'], ['11', 'in_transit'], ['12', 'in_transit'], ['13', 'exception'],
])('the documented state %s means %s; null: the text decides', (code, expected) => {
  const meaning = meaningOfCode(code, '');
  expect(meaning ? [meaning.status, meaning.course].filter(Boolean).join(' ') : null).toBe(expected);
});

test('no two carriers share a code, so that an answer’s code identifies ours', () => {
  const codes = Object.values(COMPANIES);
  expect(codes).toEqual([...new Set(codes)]);
});

test.each([
  ['yanwen', 'UV619408274YP', 'yw56'],
  ['dhl', '4617302852', 'dhlen'],
  ['ups', '1Z7K3R950361840278', 'upsen'],
  ['china-post', '9820461935827', 'youzhengguonei'],
  ['china-post', 'RC518203648CN', 'chinapost'],
  ['postnord', 'UD384601711SE', 'postenab'],
  ['postnord', 'CT803519423DK', 'postdanmarken'],
  ['posti', 'JB562038177FI', 'finland'],
  ['posten-norge', 'RR419753207NO', 'postennorge'],
  ['pos-malaysia', 'EE184039275MY', 'malaysiaems'],
])('for %s, %s is queried as %s, and an answer under that name belongs to it', (carrier, number, company) => {
  expect(companyOf(carrier, number)).toBe(company);
  expect(carrierOf(company)).toBe(carrier);
});

test.each(['cainiao', 'royal-mail', 'yamato', 'gofo', 'amazon', 'nobody'])('%s has no code', (carrier) => {
  expect(companyOf(carrier, '284017365928')).toBeUndefined();
});

test('a code that belongs to none of our carriers names none', () => {
  expect(carrierOf('cainiao')).toBeNull();
});

test('most posts can be tracked', () => {
  const posts = carriers({ sandbox: false }).filter(({ type }) => type === 'globalpost');
  expect(posts.filter(({ code }) => code in COMPANIES).length).toBeGreaterThan(posts.length / 2);
});

test.each([
  ['ups', 'ups'],
  ['dhl', 'dhl'],
  ['fedexus', 'fedex'],
  ['japanpost', 'japan-post'],
  ['dpdgermany', 'dpd'],
  ['emsinten', 'china-ems-international'],
])('an answer in the name of %s, another service or country of it, is %s’s', (company, carrier) => {
  expect(carrierOf(company)).toBe(carrier);
});

test('every carrier that a company stands for is ours, and its main company comes before its others', () => {
  for (const carrier of [...Object.keys(COMPANIES), ...Object.keys(ALSO)])
    expect(findCarrier(carrier, { sandbox: false })?.code).toBe(carrier);
  for (const [carrier, company] of Object.entries(COMPANIES)) expect(carrierOf(company)).toBe(carrier);
});
