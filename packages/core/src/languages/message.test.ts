import { joined, jsonIn, message, readMessage, storedMessage } from './message.ts';
import { MESSAGES } from './messages.ts';

const rows = Object.entries(MESSAGES);
const namesIn = (text: string) => [...text.matchAll(/\{(\w+)/g)].map(([, name]) => name).sort();

test.each(rows)('%s says in Chinese what it says in English', (_code, [english, chinese]) => {
  expect(/[\u4e00-\u9fff]/.test(english)).toBe(false);
  expect(chinese).toMatch(/[\u4e00-\u9fff]|^[ （]*(?:null|\{\w+\})/);
  expect([...new Set(namesIn(english))]).toEqual([...new Set(namesIn(chinese))]);
  expect(chinese).not.toMatch(/[\u4e00-\u9fff][,:?;]|[,;][\u4e00-\u9fff]/);
});

test.each([
  [message('attention.no_news', { days: 1 }), 'There have been no updates for 1 day.', '已有 1 天没有更新。'],
  [message('attention.no_news', { days: 3 }), 'There have been no updates for 3 days.', '已有 3 天没有更新。'],
  [
    message('invalid', {
      faults: [
        { field: 'url', message: message('field.url_https') },
        { field: 'events', message: message('field.empty') },
      ],
    }),
    'Invalid: url must use https; events must not be empty.',
    '无效：url 须使用 https；events 不能为空。',
  ],
  [message('field.enum', { words: ['a', 'b'] }), 'must be one of a, b', '须为以下之一：a、b'],
  [
    message('only_methods', { methods: joined('and', ['GET', 'PUT']) }),
    'This path supports only GET and PUT.',
    '此路径只支持 GET和PUT。',
  ],
  [
    message('file.too_many_rows', { max: 200_000 }),
    'The file has more than 200,000 rows. Split it into several files.',
    '文件超过 200,000 行。请拆分为多个文件。',
  ],
  [
    message('no_such_replay'),
    'No such replay. GET /api/v1/webhooks/{id}/replays lists the replays of a webhook.',
    '重放不存在。GET /api/v1/webhooks/{id}/replays 列出 Webhook 的重放。',
  ],
])('%s is said in both languages, and the same after it was stored', (said, english, chinese) => {
  expect([said.in('en'), said.in('zh')]).toEqual([english, chinese]);
  expect([JSON.stringify({ a: [said] }), jsonIn('zh', { a: [said] })]).toEqual([
    JSON.stringify({ a: [english] }),
    JSON.stringify({ a: [chinese] }),
  ]);
});

test('a message is stored by its code, with those within it', () => {
  const answer = message('attempt.answer', { status: 200 });
  const push = message('push.stale');
  const stored = storedMessage(message('attempt.check_failed', { push, answer, expected: '400' }));
  expect(stored).not.toContain('receiver');
  const read = readMessage(stored);
  expect(`${read}`).toBe('check, stale push: the receiver responded with 200, but 400 was expected');
  expect(typeof read === 'string' ? read : read.in('zh')).toBe('检查（过期推送）：接收端返回 200；应为 400');
});

test.each(['HTTP 500', '["of another release"]', '', null])(
  '%j, which is no stored message, stays as it is',
  (text) => {
    expect(readMessage(text)).toBe(text);
  },
);
