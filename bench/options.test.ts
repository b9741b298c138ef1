import { readBenchArguments } from './options.ts';
import { OptionFault } from './parts/option-values.ts';

const KNOWN = { all: ['check', 'engine', 'growth'], byDefault: ['check'] };
const read = (args: string[], env = {}) => readBenchArguments(args, env, KNOWN);

test('without names, the long runs are left out', () => {
  expect(read([])).toMatchObject({ names: ['check'], json: false, plot: false });
  expect(read(['growth', '--only', 'engine,check']).names).toEqual(['growth', 'engine', 'check']);
});

test('the options of a long run are read', () => {
  const args = [
    'engine',
    '--parcels',
    '1000000',
    '--shipments',
    '20000',
    '--rows',
    '300000',
    '--minutes',
    '15',
    '--changing',
    '0.05',
    '--registrations',
    '100',
  ];
  expect(
    read([...args, '--deliveries', '500', '--pollers', '2', '--store', 'postgres', '--plot']).options,
  ).toMatchObject({
    parcels: 1_000_000,
    shipments: 20_000,
    rows: 300_000,
    minutes: 15,
    changing: 0.05,
    registrations: 100,
    deliveries: 500,
    pollers: 2,
    store: 'postgres',
    stores: ['postgres'],
    databaseUrl: null,
  });
});

test('the servers of the environment are used; an empty variable does not count', () => {
  const { options } = read(['engine'], { DATABASE_URL: 'postgresql://127.0.0.1/x', REDIS_URL: ' ' });
  expect(options).toMatchObject({ databaseUrl: 'postgresql://127.0.0.1/x', redisUrl: null });
});

test('sizes are compared from the smallest on', () => {
  expect(read(['growth', '--sizes', '100000, 10000']).options.sizes).toEqual([10_000, 100_000]);
});

test.each([
  [['chek'], 'there is no benchmark chek: check, engine, growth'],
  [['--parcels', '1e6'], '--parcels must be a whole number'],
  [['--minutes', '0'], '--minutes must be a whole number from 1'],
  [['--changing', '2'], '--changing must be 0 or a number from 0.001 to 1, not "2"'],
  [['--sizes', '10000'], '--sizes must list two sizes at least'],
  [['--sizes', '10000,x'], '--sizes must be a whole number'],
  [['--store', 'disk'], '--store must be redis or postgres, not "disk"'],
  [['--minute', '5'], "Unknown option '--minute'"],
])('%j is refused, and the option is named', (args, text) => {
  expect(() => read(args)).toThrow(OptionFault);
  expect(() => read(args)).toThrow(text);
});
