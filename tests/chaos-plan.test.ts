import { HelpRequested, OptionFault } from '../bench/parts/option-values.ts';
import { FAULTS, faultsOf } from '../chaos/faults/all.ts';
import { readCommandLine } from '../chaos/options.ts';
import { makePlan } from '../chaos/plan.ts';
import { longestPause } from '../chaos/timeline.ts';
import { WORLD_STORES } from '../chaos/world/installation.ts';

const options = { seed: 7, minutes: 20, overlap: false };

test('the same seed makes the same plan, a different seed a different one', () => {
  const plan = makePlan(FAULTS, options);
  expect(makePlan(FAULTS, options)).toEqual(plan);
  expect(makePlan(FAULTS, { ...options, seed: 8 })).not.toEqual(plan);
});

test('twenty minutes are enough for every fault of a store', () => {
  for (const store of WORLD_STORES)
    for (const seed of [1, 2, 3]) {
      const names = new Set(makePlan(faultsOf(store, undefined), { ...options, seed }).map(({ name }) => name));
      expect([...names].sort()).toEqual(
        faultsOf(store, undefined)
          .map(({ name }) => name)
          .sort(),
      );
    }
});

test('faults do not overlap, unless they may: then only those of different parts', () => {
  const plan = makePlan(FAULTS, options);
  for (const [n, { at }] of plan.entries()) {
    const before = plan[n - 1];
    if (before) expect(at).toBeGreaterThan(before.at + before.seconds);
  }
  const partOf = (name: string) => FAULTS.find((fault) => fault.name === name)?.part;
  const overlapping = makePlan(FAULTS, { ...options, overlap: true });
  const pairs = overlapping.flatMap((one, n) =>
    overlapping
      .slice(n + 1)
      .filter((other) => other.at < one.at + one.seconds)
      .map((other) => [partOf(one.name), partOf(other.name)]),
  );
  expect(pairs.length).toBeGreaterThan(0);
  expect(pairs.filter(([one, other]) => one === other)).toEqual([]);
});

test('a fault ends within the time of the run', () => {
  for (const { at, seconds } of makePlan(FAULTS, options)) expect(at + seconds).toBeLessThanOrEqual(20 * 60);
});

test('every kind of fault exists and has a unique name', () => {
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
  expect(new Set(FAULTS.map(({ part }) => part)).size).toBe(6);
});

test('an unknown fault, and one that does not concern the store, are named in the error', () => {
  expect(() => faultsOf('redis', ['kill-two'])).toThrow('there is no fault kill-two: kill-one,');
  expect(() => faultsOf('postgres', ['redis-flush'])).toThrow('none of the faults redis-flush concerns the store');
  expect(() => faultsOf('redis', ['redis-failover'])).toThrow('none of the faults redis-failover concerns the store');
});

test('the longest pause may have begun before the window, and may last', () => {
  expect(longestPause([1, 2, 10, 11], 5, 12)).toBe(8);
  expect(longestPause([1, 2, 3], 5, 12)).toBe(9);
  expect(longestPause([], 5, 12)).toBe(7);
});

describe('the command line', () => {
  const read = (...args: string[]) => readCommandLine(args, () => 42);

  test('has defaults and a random seed', () => {
    expect(read()).toMatchObject({ minutes: 5, seed: 42, stores: ['redis', 'postgres'], faults: undefined });
  });

  test('accepts every option', () => {
    const args = [
      '--minutes',
      '20',
      '--seed',
      '7',
      '--store',
      'redis',
      '--faults',
      'kill-one, redis-flush',
      '--rate',
      '2',
    ];
    expect(read(...args, '--overlap', '--without', 'sweeps', '--json')).toEqual({
      minutes: 20,
      seed: 7,
      stores: ['redis'],
      faults: ['kill-one', 'redis-flush'],
      overlap: true,
      without: 'sweeps',
      rate: 2,
      json: true,
    });
  });

  test.each([
    [['--store', 'mysql'], '--store takes redis, redis-sentinel, redis-cluster, postgres, both, all, not mysql'],
    [['--without', 'luck'], '--without takes sweeps, sentinels, synchronous-commits, not luck'],
    [['--minutes', 'long'], '--minutes takes a number'],
    [['--seed', '1.5'], '--seed takes a whole number'],
    [['--rate', '0'], '--rate takes a number'],
    [['--speed'], '--speed'],
  ])('names what is wrong with %j, without a stack', (args, message) => {
    expect(() => read(...args)).toThrow(message);
    expect(() => read(...args)).toThrow(OptionFault);
  });

  test.each(['--help', '-h'])('%s lists the options', (option) => {
    expect(() => read('--store', 'mysql', option)).toThrow(HelpRequested);
    expect(() => read(option)).toThrow(/--minutes <n>.*--without <guard>/s);
  });
});
