import { OptionFault, readBenchArguments } from './options.ts';

const KNOWN = { all: ['api', 'engine', 'start'], byDefault: ['api', 'start'] };
const read = (args: string[], env = {}) => readBenchArguments(args, env, KNOWN);

test('without names, the long runs are left out', () => {
  expect(read([])).toMatchObject({ names: ['api', 'start'], json: false });
  expect(read(['start', '--only', 'engine,api']).names).toEqual(['start', 'engine', 'api']);
});

test('the options of a long run are read', () => {
  const args = ['engine', '--parcels', '1000000', '--minutes', '15', '--changing', '0.05', '--registrations', '100'];
  expect(
    read([...args, '--deliveries', '500', '--pollers', '2', '--store', 'postgres', '--from', 'pause']).options,
  ).toMatchObject({
    parcels: 1_000_000,
    minutes: 15,
    changing: 0.05,
    registrations: 100,
    deliveries: 500,
    pollers: 2,
    store: 'postgres',
    from: 'pause',
    databaseUrl: null,
  });
});

test('the servers of the environment are used; an empty variable does not count', () => {
  const { options } = read(['engine'], { DATABASE_URL: 'postgresql://127.0.0.1/x', REDIS_URL: ' ' });
  expect(options).toMatchObject({ databaseUrl: 'postgresql://127.0.0.1/x', redisUrl: null });
});

test.each([
  [['engin'], 'there is no benchmark engin: api, engine, start'],
  [['--parcels', '1e6'], '--parcels must be a whole number'],
  [['--minutes', '0'], '--minutes must be a whole number from 1'],
  [['--changing', '2'], '--changing must be 0 or a number from 0.001 to 1, not "2"'],
  [['--store', 'disk'], '--store must be redis or postgres, not "disk"'],
  [['--minute', '5'], "Unknown option '--minute'"],
])('%j is refused, and the option is named', (args, text) => {
  expect(() => read(args)).toThrow(OptionFault);
  expect(() => read(args)).toThrow(text);
});
