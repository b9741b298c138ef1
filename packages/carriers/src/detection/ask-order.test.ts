import type { Cost } from '../provider.ts';
import { type Askable, askOrder } from './ask-order.ts';

const askable = (carrier: string, confidence: number, cost: Cost = 'free', lacksInput = false): Askable => ({
  carrier,
  confidence,
  cost,
  lacksInput,
});
const order = (...candidates: Askable[]) => askOrder(candidates, 4).map(({ carrier }) => carrier);

test('a free provider comes before one that charges if the carriers are about equally likely', () => {
  const number = askable('a', 29, 'per number');
  const call = askable('b', 25, 'per call');
  const free = askable('c', 20);
  expect(order(number, call, free)).toEqual(['c', 'b', 'a']);
});

test('a carrier that requires a missing field comes last', () => {
  expect(order(askable('a', 60, 'free', true), askable('b', 12), askable('c', 58, 'free', true))).toEqual([
    'b',
    'a',
    'c',
  ]);
});
