import { chunks, countWithin } from './chunks.ts';

test('items are divided in their order, the rest last', () => {
  expect(chunks([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(chunks([], 0)).toEqual([]);
});

test('as many items count as weigh the most together, and one that is too heavy counts alone', () => {
  const count = (weights: number[]) => countWithin(weights, 10, (weight) => weight);
  expect([[], [4, 6, 1], [10], [11, 1], [4, 7]].map(count)).toEqual([0, 2, 1, 1, 1]);
});
