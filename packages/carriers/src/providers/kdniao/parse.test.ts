import { carriers } from '../../registry/registry.ts';
import { response } from '../../testing/answers.ts';
import { testFixtures } from '../../testing/fixtures.ts';
import { COMPANIES, meaningOfCode, meaningOfParcel, meaningOfTrace, outcomeOfReason, parseTraces } from './parse.ts';

testFixtures(import.meta.url, parseTraces, 'yto');

const ask = (body: unknown) => parseTraces(response(body), [{ number: 'YT1', carrier: 'yto' }])[0];
const history = (more: object, ...traces: object[]) => ({
  Success: true,
  LogisticCode: 'YT1',
  ...more,
  Traces: traces,
});

test('the state of the parcel decides for the newest scan, at any position, if that has no code', () => {
  const older = { AcceptTime: '2031-03-09 08:30:00', AcceptStation: '到达' };
  const newest = { AcceptTime: '2031-03-10 08:30:00', AcceptStation: '快件已到' };
  for (const traces of [
    [older, newest],
    [newest, older],
  ]) {
    const answer = ask(history({ State: '2', StateEx: '211' }, ...traces));
    const scan = answer?.kind === 'found' && answer.scans.find(({ time }) => time === '2031-03-10T00:30:00Z');
    expect(scan).toMatchObject({ status: 'available_for_pickup', ownStatus: 'in_transit' });
  }
});

test('an answer about another number is passed on with it', () => {
  const trace = { AcceptTime: '2031-03-09 08:30:00', AcceptStation: '到达' };
  expect(ask({ ...history({}, trace), LogisticCode: 'YT2' })).toMatchObject({ otherNumber: 'YT2' });
  expect(ask({ ...history({}, trace), LogisticCode: null })).not.toHaveProperty('otherNumber');
});

test.each([
  ['no list of scans', { Success: true }],
  ['a scan without a time', history({}, { AcceptTime: '', AcceptStation: '到达' })],
  ['a refusal without a reason', { Success: false }],
])('%s is unreadable', (_, body) => {
  expect(ask(body)).toMatchObject({ failure: 'unreadable' });
});

test.each([[[]], [null]])('an answer with %j as its scans has none yet', (Traces) => {
  expect(ask({ Success: true, State: '0', LogisticCode: 'YT1', Traces })).toEqual({ kind: 'not_found' });
});

// biome-ignore format: one code per line is readable as a table
test.each([
  ['10', 'info_received'],
  ['201', 'in_transit'], ['204', 'in_transit'], ['205', 'in_transit'], ['206', 'in_transit'],
  ['202', 'out_for_delivery'],
  ['211', 'available_for_pickup'],
  ['3', 'delivered'], ['301', 'delivered'], ['302', 'delivered'], ['304', 'delivered'],
  ['311', 'available_for_pickup'],
  ['4', 'exception'], ['401', 'exception'], ['402', 'exception'], ['403', 'exception'], ['405', 'exception'],
  ['404', 'exception'], ['407', 'exception'],
  ['406', 'returned'],
  ['412', 'available_for_pickup'],
  ['413', 'exception'], ['414', 'exception'], ['415', 'exception'], ['416', 'exception'], ['417', 'in_transit'],
  ['418', 'in_transit'],
  ['420', 'exception'], ['421', 'exception'], ['422', 'exception'], ['423', 'exception'],
  ['5', 'in_transit'], ['6', 'in_transit'], ['601', 'in_transit'], ['602', 'in_transit'], ['603', 'in_transit'],
  ['604', 'exception'],
])('%s is %s', (code, status) => {
  expect(meaningOfCode(code, '')?.status).toBe(status);
});

test('a refusal and a return have a course', () => {
  expect([meaningOfCode('404', '')?.course, meaningOfCode('407', '')?.course]).toEqual(['refused', 'going_back']);
});

test.each(['0', '1', '2', ''])('%j only says that it moves, and the text decides', (code) => {
  expect(meaningOfCode(code, '正在派件')).toBeUndefined();
  expect(meaningOfTrace(code, '陈师傅正在派件')).toMatchObject({ status: 'out_for_delivery' });
});

test('the text says who signed', () => {
  expect(meaningOfCode('311', '凭取件码签收')?.status).toBe('delivered');
  expect(meaningOfCode('3', '快件已暂存至驿站，请及时领取')?.status).toBe('available_for_pickup');
  expect(meaningOfCode('3', '已签收，签收人：转EMS 1284630517290')?.status).toBe('in_transit');
});

test('a plain 4 of the parcel is ignored, because it stays after the trouble is over', () => {
  expect(meaningOfParcel('4', '', '')).toBeUndefined();
  expect(meaningOfParcel('4', '405', '')?.status).toBe('exception');
  expect(meaningOfParcel('3', '', '')?.status).toBe('delivered');
});

test('the text says whether another delivery is agreed on or under way', () => {
  expect(meaningOfTrace('419', '陈师傅正在派件')).toMatchObject({ status: 'out_for_delivery' });
  expect(meaningOfTrace('419', '约定新派送时间，待派送')).toMatchObject({ status: 'in_transit' });
});

test('each carrier has a unique code', () => {
  const codes = Object.values(COMPANIES);
  expect(codes).toEqual([...new Set(codes)]);
  const known = new Set(carriers({ sandbox: false }).map(({ code }) => code));
  expect(Object.keys(COMPANIES).filter((code) => !known.has(code))).toEqual([]);
});

test.each([
  ['没有物流轨迹', 'not_found'],
  ['此单无物流信息', 'not_found'],
  ['快递单号[YT1]不存在', 'not_found'],
  ['缺少CustomerName', 'needs_input'],
  ['套餐次数已用完', 'quota'],
  ['超过QPS限制', 'rate_limited'],
  ['IP白名单校验失败', 'auth'],
  ['用户ID不存在', 'auth'],
  ['LogisticCode长度不正确', 'invalid_number'],
  ['服务器超时', 'transient'],
  ['ShipperCode不支持', 'unreadable'],
])('a refusal because of "%s" is %s', (reason, outcome) => {
  expect(outcomeOfReason(reason)).toBe(outcome);
});
