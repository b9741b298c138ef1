import { tmpdir } from 'node:os';
import { readPage } from './assets.ts';

test('a missing asset is reported at once, by its name', () => {
  expect(() => readPage([tmpdir()])).toThrow(/^init\.js of the API reference is missing in .*Build the API again/);
});
