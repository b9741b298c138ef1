import { carriersOfCallback } from './callbacks.ts';

const of = (carriers: string[], watched: string[], subscribed: string[], movedTo: Record<string, string> = {}) =>
  carriersOfCallback(
    { carriers },
    watched.map((carrier) => ({ carrier })),
    subscribed.map((carrier) => ({ carrier, movedTo: movedTo[carrier] ?? null })),
  );

test('a callback is about the carriers that it names and that are watched', () => {
  expect(of(['yto'], ['yto', 'zto'], ['yto', 'zto'])).toEqual(['yto']);
  expect(of(['yto', 'zto'], ['yto', 'zto'], ['yto'])).toEqual(['yto', 'zto']);
});

test('a callback about a corrected carrier is also about those who watch the former one', () => {
  expect(of(['zto'], ['yto'], ['yto'], { yto: 'zto' })).toEqual(['yto']);
  expect(of(['zto'], ['yto', 'sto'], ['yto', 'sto'], { yto: 'zto' })).toEqual(['yto']);
});

test('the number decides if the provider uses another name for the carrier', () => {
  expect(of(['yto-freight'], ['yto'], ['yto'])).toEqual(['yto']);
  expect(of([], ['yto'], [])).toEqual(['yto']);
});

test('a callback is never assigned to one of several carriers by chance', () => {
  expect(of(['sto'], ['yto', 'zto'], ['yto', 'zto'])).toEqual([]);
  expect(of(['sto'], [], [])).toEqual([]);
});
