import { parseRedisAddress, showRedisAddress } from './redis-address.ts';

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
