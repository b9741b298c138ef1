import { knownProviders } from '@pts/carriers/providers/configured';
import { MAX_NUMBERS } from '@pts/contract/limits';
import { createTimeSlices } from '../http/bulkhead.ts';
import { readAll, readItems } from './bulk-items.ts';

const deps = { providers: knownProviders({ SANDBOX_URL: 'http://127.0.0.1:9' }), sandbox: true };
const metadata = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`key${n}`, '快'.repeat(256)]));

test('other work continues while the items of a bulk call are checked', async () => {
  let others = 0;
  const tick = () => {
    others += 1;
    ticking = setImmediate(tick);
  };
  let ticking = setImmediate(tick);
  const items = Array.from({ length: MAX_NUMBERS }, (_, n) => ({ tracking_number: `YT${10_000 + n}`, metadata }));
  const read = await readAll(deps, items, createTimeSlices({ sliceMs: 0 }));
  clearImmediate(ticking);
  expect(read.map(({ given }) => given)).toEqual(items.map((value, index) => ({ index, value })));
  expect(others).toBeGreaterThanOrEqual(MAX_NUMBERS);
});

test.each([
  { trackings: ['A12345'], tracking_numbers: null },
  { trackings: null, tracking_numbers: ['A12345'] },
])('a client that writes the other list as null sends one: %j', (body) => {
  expect(readItems(body)).toEqual(['A12345']);
});
