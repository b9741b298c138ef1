import { tmpdir } from 'node:os';
import { readPage } from './assets.ts';

test('an asset that is missing is told at once, by its name', () => {
  expect(() => readPage([tmpdir()])).toThrow(/^init\.js of the API reference is missing in .*Build the API again/);
});
