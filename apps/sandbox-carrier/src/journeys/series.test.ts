import { isKnownTo } from './series.ts';

test('a number of a series is known to its one carrier, in either code', () => {
  const known = (carrier: string) => isKnownTo('770212345678', carrier);
  expect(['yto', 'yuantong', 'sto', 'zhongtong', 'sf-express'].map(known)).toEqual([true, true, false, false, false]);
});

test('a number without a carrier is known to none', () => {
  expect(['sto', 'yto', 'zto'].map((carrier) => isKnownTo('770900000002', carrier))).toEqual([false, false, false]);
});

test('all other numbers are known to every carrier, and so are all numbers if no carrier is given', () => {
  expect(isKnownTo('SBXORDINARY1', 'yto')).toBe(true);
  expect(isKnownTo('7702123456789', 'sto')).toBe(true);
  expect(isKnownTo('770512345678', 'sto')).toBe(true);
  expect(isKnownTo('770212345678', undefined)).toBe(true);
});
