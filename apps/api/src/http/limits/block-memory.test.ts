import { createBlockMemory } from './limits.ts';

function memory(maxKeys?: number) {
  let now = 1000;
  const later = (ms: number) => {
    now += ms;
  };
  return { ...createBlockMemory(() => now, maxKeys), later, now: () => now };
}

test('a key is blocked until its window ends, and no longer', () => {
  const { block, msLeft, later, now } = memory();
  block('a', now(), 400);
  expect([msLeft('a'), msLeft('b')]).toEqual([400, 0]);
  later(399);
  expect(msLeft('a')).toBe(1);
  later(1);
  expect(msLeft('a')).toBe(0);
});

test('the time that the store took to answer counts: a block never outlasts the window', () => {
  const { block, msLeft, later, now } = memory();
  const requestedAt = now();
  later(150);
  block('a', requestedAt, 400);
  expect(msLeft('a')).toBe(250);
});

test('beyond its capacity, the key that was blocked first is dropped', () => {
  const { block, msLeft, now } = memory(2);
  for (const key of ['a', 'b', 'a', 'c']) block(key, now(), 400);
  expect([msLeft('a'), msLeft('b'), msLeft('c')]).toEqual([400, 0, 400]);
});
