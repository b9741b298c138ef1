import type { Cost } from '../provider.ts';
import { type Askable, askOrder } from './ask-order.ts';

const askable = (carrier: string, confidence: number, cost: Cost = 'free', lacksInput = false): Askable => ({
  carrier,
  confidence,
  cost,
  lacksInput,
});
const order = (...candidates: Askable[]) => askOrder(candidates, 4).map(({ carrier }) => carrier);

test('the likeliest comes first', () => {
  expect(order(askable('b', 20), askable('a', 40), askable('c', 15))).toEqual(['a', 'b', 'c']);
});

test('a free provider comes before one that charges if the carriers are about equally likely', () => {
  const number = askable('a', 29, 'per number');
  const call = askable('b', 25, 'per call');
  const free = askable('c', 20);
  expect(order(number, call, free)).toEqual(['c', 'b', 'a']);
});

test('a much likelier carrier comes first, whatever it costs', () => {
  expect(order(askable('a', 50, 'per number'), askable('b', 40), askable('c', 31))).toEqual(['a', 'b', 'c']);
});

test('a carrier that requires a missing field comes last', () => {
  expect(order(askable('a', 60, 'free', true), askable('b', 12), askable('c', 58, 'free', true))).toEqual([
    'b',
    'a',
    'c',
  ]);
});

test('only the likeliest ones are included', () => {
  const five = [60, 48, 36, 24, 12].map((confidence) => askable(`c${confidence}`, confidence));
  expect(order(...five)).toEqual(['c60', 'c48', 'c36', 'c24']);
});
