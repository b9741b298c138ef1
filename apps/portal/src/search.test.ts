import MiniSearch from 'minisearch';
import { type Entry, find, SEARCH_OPTIONS, tokenize } from './search.ts';

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

const PAGES = [
  ['Webhooks', 'Verify the signature of each push.'],
  ['Retrack', 'Checks a parcel with its carrier now.'],
  ['列出推送记录', '列出最近的推送尝试。'],
  ['更换签名密钥', '旧密钥继续签名 24 小时。'],
] as const;

// biome-ignore format: one query per line is readable as a table
test.each([
  ['webhook', 'Webhooks'],
  ['webhok', 'Webhooks'],
  ['signatrue', 'Webhooks'],
  ['retrak', 'Retrack'],
  ['推送记录', '列出推送记录'],
  ['推送纪录', '列出推送记录'],
  ['签明', '更换签名密钥'],
  ['密匙', '更换签名密钥'],
  ['zebra', undefined],
  ['斑马', undefined],
])('%s finds %s, also with a typing error', (query, title) => {
  const index = new MiniSearch<Entry>(SEARCH_OPTIONS);
  index.addAll(PAGES.map(([title, body], id) => ({ id, address: '', label: '', title, heading: '', body })));
  expect(find(index, query)[0]?.title).toBe(title);
});

test('a page is found before its parts', () => {
  const index = new MiniSearch<Entry>(SEARCH_OPTIONS);
  index.addAll(
    ['Errors', ''].map((heading, id) => ({ id, address: '', label: '', title: 'Imports', heading, body: 'A file.' })),
  );
  expect(find(index, 'imports').map(({ heading }) => heading)).toEqual(['', 'Errors']);
});
