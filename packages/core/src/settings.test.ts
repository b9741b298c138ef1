import { randomBytes } from 'node:crypto';
import {
  flag,
  keyWeakness,
  list,
  parseRedisAddress,
  readList,
  showDatabaseAddress,
  showRedisAddress,
  text,
  textIn,
} from './settings.ts';

test.each([
  ['value', 'value'],
  [' value\n', 'value'],
  ['', undefined],
  [' \t', undefined],
  [undefined, undefined],
])('%j in the environment is the text %j', (given, expected) => {
  expect(textIn({ A: given }, 'A')).toBe(expected);
});

test('each kind of setting reads its text', () => {
  expect(text('A', 'a').read('x')).toBe('x');
  expect(flag('A', 'a', false).read('true')).toBe(true);
  expect(list('A', 'a').read(' a, ,b,')).toEqual(['a', 'b']);
  expect(readList('')).toEqual([]);
});

test.each([
  ['postgres://u:p@db.example/pts', 'db.example:5432/pts'],
  ['postgresql://u:p%23ss@[::1]:6432/pts?sslmode=verify-full', '[::1]:6432/pts'],
  ['postgresql://u:p@/pts?host=/run/postgresql', '/run/postgresql:5432/pts'],
  ['postgres:///pts?host=/run/postgresql', '/run/postgresql:5432/pts'],
  ['postgres:///pts', 'localhost:5432/pts'],
])('%s is shown as %s', (url, address) => {
  expect(showDatabaseAddress(url)).toBe(address);
});

test.each(['db.example:5432/pts', 'mysql://db/pts', 'postgres://u:p#ss@db/pts', 'postgres://db:port/pts'])(
  '%s is none',
  (url) => {
    expect(showDatabaseAddress(url)).toBeNull();
  },
);

test.each([
  ['redis://10.0.0.1:6380/2', { kind: 'server', url: 'redis://10.0.0.1:6380/2' }, '10.0.0.1:6380'],
  ['rediss://:pw@cache', { kind: 'server', url: 'rediss://:pw@cache' }, 'cache:6379'],
  [
    'redis+sentinel://a:26380,b/main',
    {
      kind: 'sentinel',
      nodes: [
        { host: 'a', port: 26_380 },
        { host: 'b', port: 26_379 },
      ],
      master: 'main',
      db: 0,
      isTls: false,
    },
    'sentinel a:26380,b:26379/main',
  ],
  [
    'rediss+sentinel://me:p%40ss@[::1]:26379/main/3?sentinelPassword=s%26t',
    {
      kind: 'sentinel',
      nodes: [{ host: '::1', port: 26_379 }],
      master: 'main',
      db: 3,
      username: 'me',
      password: 'p@ss',
      sentinelPassword: 's&t',
      isTls: true,
    },
    'sentinel [::1]:26379/main',
  ],
  [
    'redis+cluster://:secret@c-1.example,c-2.example:7000',
    {
      kind: 'cluster',
      nodes: [
        { host: 'c-1.example', port: 6379 },
        { host: 'c-2.example', port: 7000 },
      ],
      password: 'secret',
      isTls: false,
    },
    'cluster c-1.example:6379,c-2.example:7000',
  ],
])('%s', (url, address, shown) => {
  expect(parseRedisAddress(url)).toEqual(address);
  expect(showRedisAddress(parseRedisAddress(url) as never)).toBe(shown);
});

test.each([
  ['no address', 'localhost:6379'],
  ['another scheme', 'http://localhost:6379'],
  ['Sentinels without the name of a master', 'redis+sentinel://a,b'],
  ['a cluster with a database', 'redis+cluster://a,b/3'],
  ['a database that is not a number', 'redis+sentinel://a/main/x'],
  ['a port that does not exist', 'redis+cluster://a:70000'],
  ['an empty host', 'redis+cluster://a,,b'],
  ['a password with a percent sign that is not encoded', 'redis+cluster://:50%off@a,b'],
  ['the same for one server', 'redis://:50%off@a'],
  ['a database of one server that is not a number', 'redis://a/main'],
  ['a list of plain servers', 'redis://a:6379,b:6379'],
])('%s is refused', (_what, url) => {
  expect(parseRedisAddress(url)).toBeNull();
});

const encoded = (bytes: ArrayLike<number> | string) =>
  (typeof bytes === 'string' ? Buffer.from(bytes) : Buffer.from(Array.from(bytes))).toString('base64');
const bytes = (at: (index: number) => number) => encoded(Array.from({ length: 32 }, (_, index) => at(index) & 255));
const HALF = [0x9e, 0x11, 0xf0, 0x42, 0x8b, 0xcd, 0x07, 0x6a, 0xd3, 0x55, 0xbe, 0x20, 0xe9, 0x7c, 0x38, 0xa4];

test.each([
  ['all zero', bytes(() => 0), 'its bytes repeat'],
  ['one byte', bytes(() => 7), 'its bytes repeat'],
  ['a word, repeated', bytes((i) => 0xde ^ (i % 4)), 'its bytes repeat'],
  ['half a key, twice', encoded([...HALF, ...HALF]), 'its bytes repeat'],
  ['a few bytes in disorder', bytes((i) => (i * 7 + (i >> 2) * 5) % 13), 'it has very few distinct bytes'],
  ['mostly zero', bytes((i) => (i < 10 ? (HALF[i] ?? 0) : 0)), 'it has very few distinct bytes'],
  ['counted up', bytes((i) => i), 'its bytes count up or down'],
  ['counted up from 0xf0', bytes((i) => 0xf0 + i), 'its bytes count up or down'],
  ['counted down by three', bytes((i) => 255 - 3 * i), 'its bytes count up or down'],
  ['counted with a slip', bytes((i) => (i === 9 ? 200 : i + 100)), 'its bytes count up or down'],
  ['the alphabet', 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ=', 'its bytes count up or down'],
  ['a sentence', encoded('correct horse battery staple 1!!'), 'it is text'],
  ['hexadecimal digits', encoded('9e11f0428bcd076ad355be20e97c38a4'), 'it is text'],
  ['a sentence in Chinese', encoded('快递查询服务的密钥匙ab'), 'it is text'],
  ['a sentence with line breaks', encoded('the first line\r\nand the second\r\n'), 'it is text'],
  [
    'a lower-case phrase as base64',
    'correcthorsebatterystapleparceltrackingkey0=',
    'all its letters have the same case',
  ],
  [
    'an upper-case phrase as base64',
    'CORRECTHORSEBATTERYSTAPLEPARCELTRACKINGKEY0=',
    'all its letters have the same case',
  ],
  ['digits as base64', '3141592653589793238462643383279502884197160=', 'all its letters have the same case'],
])('%s is not a random key', (_what, key, weakness) => {
  expect(Buffer.from(key, 'base64')).toHaveLength(32);
  expect(keyWeakness(key)).toBe(weakness);
});

test('random keys pass', () => {
  const keys = Array.from({ length: 5000 }, () => randomBytes(32).toString('base64'));
  expect(keys.filter((key) => keyWeakness(key) !== null)).toEqual([]);
});
