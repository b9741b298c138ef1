import { MAX_NUMBERS } from '@pts/contract/limits';
import { batchesOf } from './batches.ts';
import { type Item, weightOf } from './input.ts';

const STATEMENT = 200;

/** The sizes of the batches of as many inputs. */
async function sizes(values: readonly unknown[]): Promise<number[]> {
  const pieces = (async function* () {
    yield values.map((value, index): Item => ({ index, value }));
  })();
  const found: number[] = [];
  for await (const batch of batchesOf(pieces, { max: STATEMENT, weigh: weightOf }, 1000)) found.push(batch.length);
  return found;
}

test('a statement of a stream has as much metadata as that of a bulk call, or two hundred inputs without', async () => {
  const full = { tracking_number: 'YT8800000000001', metadata: { shop: 'hangzhou' } };
  expect(await sizes(Array(100).fill(full))).toEqual([MAX_NUMBERS, MAX_NUMBERS, 20]);
  for (const value of ['YT8800000000001', { tracking_number: 'YT8800000000001', title: 'Jacket' }, null, 7])
    expect(await sizes(Array(250).fill(value))).toEqual([STATEMENT, 50]);
});
