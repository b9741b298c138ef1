import { parseSubscribed } from './subscribe.ts';

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
