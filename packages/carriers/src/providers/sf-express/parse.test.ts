import { response } from '../../testing/answers.ts';
import { readFixture, testFixtures } from '../../testing/fixtures.ts';
import { parseRoutes } from './parse.ts';

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
