import { readdirSync } from 'node:fs';
import { NEEDED_MIGRATION, openReadiness } from './readiness.ts';

test('a release needs the last migration that it has', () => {
  const folders = readdirSync(new URL('../../../prisma/migrations', import.meta.url), { withFileTypes: true });
  const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(NEEDED_MIGRATION).toBe(names.sort().at(-1));
});

test.each([
  ['an invalid port', 'postgres://u:hunter2@db:99999/x', 'Invalid URL'],
  ['a certificate file that is not there', 'postgres://u:hunter2@db/x?sslrootcert=/no/such.pem', '/no/such.pem'],
])('%s in DATABASE_URL is a fault at once, reported without the password', (_what, databaseUrl, part) => {
  const open = () => openReadiness({ databaseUrl });
  expect(open).toThrow(/^DATABASE_URL cannot be used: /);
  expect(open).toThrow(part);
  expect(open).not.toThrow('hunter2');
});
