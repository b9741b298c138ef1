import { tokenize } from './search.ts';

// biome-ignore format: one text per line is readable as a table
test.each([
  ['Verify the signature', ['Verify', 'the', 'signature']],
  ['验证签名', ['验证', '证签', '签名']],
  ['签', ['签']],
  ['tracking_number', ['tracking_number', 'tracking', 'number']],
  ['用Webhook推送', ['推送', '用', 'Webhook']],
  ['X-Webhook-Id: 4113', ['X', 'Webhook', 'Id', '4113']],
])('%s is found by its parts', (text, words) => {
  expect(tokenize(text).sort()).toEqual([...words].sort());
});
