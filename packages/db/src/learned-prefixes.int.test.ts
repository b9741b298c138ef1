import { openTestDatabase } from '@pts/testing/database';
import { findLearned, forgetLearned, nameOfKey, recordFinds } from './learned-prefixes.ts';

const NOW = new Date('2031-04-05T06:00:00.000Z');
const days = (count: number) => new Date(NOW.getTime() + count * 86_400_000);

const { db, close } = await openTestDatabase(8);
afterAll(close);

const learned = async (prefix: string, at: Date, accountId?: string) => {
  const key = { prefix, ...(accountId && { accountId }) };
  return (await findLearned(db, [key], at)).get(nameOfKey(key));
};

test('finds of one prefix are counted by carrier', async () => {
  const one = { prefix: '12:100000', carrier: 'sto' };
  await recordFinds(db, [one, { ...one, carrier: 'yto' }, one], NOW);
  await recordFinds(db, [one], NOW);
  expect(await learned('12:100000', NOW)).toEqual({ sto: 3, yto: 1 });
  expect(await learned('12:999999', NOW)).toBeUndefined();
});

test('the finds of an account are its own', async () => {
  const one = { prefix: '12:', carrier: 'sto' };
  await recordFinds(db, [{ ...one, accountId: 'acc_one' }, { ...one, accountId: 'acc_one' }, one], NOW);
  expect(await learned('12:', NOW, 'acc_one')).toEqual({ sto: 2 });
  expect(await learned('12:', NOW, 'acc_two')).toBeUndefined();
  expect(await learned('12:', NOW)).toEqual({ sto: 1 });
});

test('a find counts half after 90 days, with or without another one', async () => {
  const one = { prefix: '12:200000', carrier: 'sto' };
  await recordFinds(db, [one, one], NOW);
  expect((await learned('12:200000', days(90)))?.sto).toBeCloseTo(1, 5);
  await recordFinds(db, [one], days(90));
  expect((await learned('12:200000', days(90)))?.sto).toBeCloseTo(2, 5);
  expect((await learned('12:200000', days(180)))?.sto).toBeCloseTo(1, 5);
});

test('a clock that is behind neither increases the counts nor makes them newer', async () => {
  const one = { prefix: '12:300000', carrier: 'sto' };
  await recordFinds(db, [one], days(10));
  await recordFinds(db, [one], NOW);
  expect((await learned('12:300000', NOW))?.sto).toBeCloseTo(2, 5);
  expect((await learned('12:300000', days(100)))?.sto).toBeCloseTo(1, 5);
});

test('processes that learn the same prefixes at once neither wait for each other forever nor lose a find', async () => {
  const prefixes = Array.from({ length: 400 }, (_, n) => `12:4${String(n).padStart(5, '0')}`);
  const finds = prefixes.map((prefix) => ({ prefix, carrier: 'sto' }));
  const orders = Array.from({ length: 24 }, (_, n) => (n % 2 === 0 ? finds : finds.toReversed()));
  await Promise.all(orders.map((order) => recordFinds(db, order, NOW)));
  const keys = prefixes.map((prefix) => ({ prefix }));
  const learnt = await findLearned(db, keys, NOW);
  expect(keys.map((key) => learnt.get(nameOfKey(key))?.sto)).toEqual(prefixes.map(() => 24));
});

test('counts without a find for two years are deleted', async () => {
  await recordFinds(db, [{ prefix: '12:500000', carrier: 'old' }], days(-1000));
  await recordFinds(db, [{ prefix: '12:500000', carrier: 'new' }], NOW);
  expect(await forgetLearned(db, NOW)).toBe(1);
  expect(await learned('12:500000', NOW)).toEqual({ new: 1 });
});
