import { response } from '../../testing/answers.ts';
import { readFixture, testFixtures } from '../../testing/fixtures.ts';
import { failureOfGateway, meaningOfRoute, outcomeOfMessage, parseRoutes } from './parse.ts';

testFixtures(import.meta.url, parseRoutes, 'sf-express');

const requested = [{ number: 'SF7284016359285', carrier: 'sf-express' }];

test('the answer of the service is not truncated, however long it is', () => {
  const text = readFixture(import.meta.url, 'batch.json');
  expect(JSON.parse(text).apiResultData.length).toBeGreaterThan(500);
  expect(parseRoutes(response(text), [...requested, ...requested])).toMatchObject([
    { kind: 'found' },
    { kind: 'found' },
  ]);
});

test('a response without its envelope, or with an object in it, is read the same way', () => {
  const inner = { success: true, msgData: { routeResps: [{ mailNo: 'SF7284016359285', routes: [] }] } };
  for (const body of [inner, { apiResultCode: 'A1000', apiResultData: inner }]) {
    expect(parseRoutes(response(body), requested)).toEqual([{ kind: 'not_found' }]);
  }
});

test('a list of routes without any number matches none', () => {
  const answer = { success: true, msgData: { routeResps: [] } };
  expect(parseRoutes(response(answer), requested)).toEqual([{ kind: 'not_found' }]);
});

test('a refusal that says that the number is not there is not found', () => {
  expect(parseRoutes(response({ success: false, errorMsg: '找不到该运单' }), requested)).toEqual([
    { kind: 'not_found' },
  ]);
});

test.each(['opCode', 'opcode'])('the operation is %s', (name) => {
  const route = { acceptTime: '2031-05-06 10:20:30', acceptAddress: '云溪', remark: '谢谢', [name]: '80' };
  const routeResps = [{ mailNo: 'SF7284016359285', routes: [route] }];
  expect(parseRoutes(response({ success: true, msgData: { routeResps } }), requested)).toMatchObject([
    { scans: [{ status: 'delivered' }] },
  ]);
});

test.each([
  ['no JSON', 'oops'],
  ['a list', '[]'],
  ['text in place of data', { apiResultCode: 'A1000', apiResultData: 'oops' }],
  ['no routes', { apiResultCode: 'A1000', apiResultData: '{"success":true}' }],
])('%s is unreadable', (_, body) => {
  expect(parseRoutes(response(body), requested)).toMatchObject([{ failure: 'unreadable' }]);
});

const ROUTES: Record<string, string> = {
  in_transit: '43 46 50 51 54 607 10 11 30 31 36 105 106 302 304 310 407 3036 126',
  out_for_delivery: '44 123 204 880',
  available_for_pickup: '125 130 642 657 678',
  delivered: '80 97 128 679',
  exception: '18 33 34 70 72 77 870 99 631 648 660',
};

test.each(Object.entries(ROUTES).flatMap(([status, codes]) => codes.split(' ').map((code) => [code, status])))(
  'operation %s is %s',
  (code, status) => {
    expect(meaningOfRoute(code, '', '')).toMatchObject({ status });
  },
);

test.each([
  ['已签收，签收人：本人', 'delivered'],
  ['快件已送达梧桐街丰巢柜，请凭取件码取件', 'available_for_pickup'],
])('a signature is read by its text: %s', (text, status) => {
  expect(meaningOfRoute('80', '4', text)).toEqual({ status });
});

test('the image of a signature only informs', () => {
  expect(meaningOfRoute('8000', '4', '已签收')).toBe('informational');
});

test.each(['99', '648', '660'])('%s is returning, unless the text says that it is forwarded', (code) => {
  expect(meaningOfRoute(code, '', '快件已退回')).toMatchObject({ course: 'going_back' });
  expect(meaningOfRoute(code, '', '应客户要求，快件转寄至新地址')).toEqual({ status: 'in_transit' });
});

test.each([
  ['1', '', 'in_transit'],
  ['2', '', 'in_transit'],
  ['3', '', 'out_for_delivery'],
  ['4', '', 'delivered'],
  ['', '快件交给陈师傅，正在派送途中', 'out_for_delivery'],
  ['2', '快件在云溪中转场滞留', 'exception'],
  ['3', '派送不成功，无法联系收件人', 'exception'],
  ['3', '快件已放入梧桐街丰巢柜，请凭取件码取件', 'available_for_pickup'],
  ['4', '已签收，签收人：梧桐街驿站', 'available_for_pickup'],
])('an unknown operation is read by its step (%s) or text (%s): %s', (step, text, status) => {
  expect(meaningOfRoute('99999', step, text)).toMatchObject({ status });
});

test.each([
  ['A1001', 'auth'],
  ['A1002', 'auth'],
  ['A1003', 'auth'],
  ['A1004', 'auth'],
  ['A1005', 'rate_limited'],
  ['A1006', 'auth'],
  ['A1007', 'transient'],
  ['A1008', 'auth'],
  ['A1009', 'transient'],
  ['A1010', 'auth'],
  ['A1011', 'quota'],
  ['A1099', 'transient'],
])('%s of the gateway is %s', (code, failure) => {
  expect(failureOfGateway(code)).toBe(failure);
});

test.each([
  ['手机号后四位校验不通过', 'needs_input'],
  ['月结卡号无权限', 'auth'],
  ['请求过于频繁', 'rate_limited'],
  ['运单号格式错误', 'invalid_number'],
  ['运单不存在', 'not_found'],
  ['系统异常', 'transient'],
  ['前所未见', 'unreadable'],
  ['此服务不适用', 'unreadable'],
])('a refusal that says %s is %s', (message, outcome) => {
  expect(outcomeOfMessage(message)).toBe(outcome);
});
