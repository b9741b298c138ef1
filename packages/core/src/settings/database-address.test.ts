import { showDatabaseAddress } from './database-address.ts';

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
