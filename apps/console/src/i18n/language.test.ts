import { tagOf } from './language.ts';

test.each([
  [['de-DE', 'en-GB', 'en-US'], 'en-GB'],
  [['en-US@posix', 'en'], 'en'],
  [['en-US@posix'], 'en'],
  [['zh-CN'], 'en'],
  [[], 'en'],
])('of %j, English is written as %s', (wanted, tag) => {
  expect(tagOf('en', wanted)).toBe(tag);
});
