import { HelpRequested, OptionFault } from '../options.ts';
import { checkIsLocal, readSeedOptions } from './options.ts';
import { progressLine } from './seed.ts';

test('missing options have defaults', () => {
  expect(readSeedOptions(['--trackings', '3000000'])).toEqual({
    trackings: 3_000_000,
    account: null,
    changing: 0,
    intervalSeconds: null,
    allowRemote: false,
    allowOtherAccounts: false,
  });
});

test.each([
  [[], '--trackings is missing'],
  [['--trackings', '1e6'], '--trackings must be a whole number from 1 to 1000000000, not "1e6"'],
  [['--trackings', '0'], '--trackings must be a whole number from 1'],
  [['--trackings', '5', '--changing', '7'], '--changing must be 0 or a number from 0.001 to 1, not "7"'],
  [['--trackings', '5', '--changing', 'NaN'], '--changing must be 0 or'],
  [['--trackings', '5', '--interval', '0'], '--interval must be a whole number from 1 to 86400'],
  [['--trackings', '5', '--account', 'mine'], '--account must be the id of an account'],
  [['--trackings', '5', '--tracking'], "Unknown option '--tracking'"],
  [['5'], "Unexpected argument '5'"],
])('%j is refused, and the option is named', (args, text) => {
  expect(() => readSeedOptions(args)).toThrow(OptionFault);
  expect(() => readSeedOptions(args)).toThrow(text);
});

test.each(['127.0.0.1:5432', 'localhost', '[::1]'])('a database on %s is local', (host) => {
  expect(() => checkIsLocal(`postgresql://u:p@${host}/pts`, { allowRemote: false })).not.toThrow();
});

test.each(['db.example', '10.0.0.5', '127.0.0.1.example'])('a database on %s needs --allow-remote', (host) => {
  const url = `postgresql://u:p@${host}/pts`;
  expect(() => checkIsLocal(url, { allowRemote: false })).toThrow('--allow-remote');
  expect(() => checkIsLocal(url, { allowRemote: true })).not.toThrow();
});

test('progress shows the rate and the remaining time', () => {
  expect(progressLine(250_000, 1_000_000, 50)).toBe('seeded 250,000 of 1,000,000 (25 %), 5,000/s, 150 s left');
  expect(progressLine(1_000_000, 1_000_000, 200)).toBe('seeded 1,000,000 of 1,000,000 (100 %), 5,000/s, 200.0 s');
});

test('--help shows the usage', () => {
  expect(() => readSeedOptions(['--help'])).toThrow(HelpRequested);
});
