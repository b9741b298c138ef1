import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { textsOf } from '@pts/core/process/readiness-check';
import { MIGRATIONS, PATIENT, queryOnce } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { startTlsPostgres, type TlsPostgres, withParameters } from '@pts/testing/servers/postgres';
import { openDatabase } from './connection.ts';
import { isDatabaseUnreachable } from './errors.ts';
import { migrate } from './migrate.ts';
import { DeadlineError, DeadlinePool } from './pool.ts';
import { openReadiness } from './readiness.ts';

let server: TlsPostgres;
beforeAll(async () => {
  server = await startTlsPostgres();
}, 120_000);
afterAll(() => server.close(), 60_000);

/** How the pool connects to the database: `tls`, `plain`, or why it cannot. */
async function poolOver(url: string): Promise<string> {
  const db = openDatabase({ url, poolSize: 1, ...PATIENT });
  const sql = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
  try {
    const [row] = await db.$queryRawUnsafe<{ ssl: boolean }[]>(sql);
    return row?.ssl ? 'tls' : 'plain';
  } catch (error) {
    return String(error);
  } finally {
    await db.$disconnect();
  }
}

/** What it says of the database, and when the first certificate expires. */
async function readinessOver(databaseUrl: string): Promise<string> {
  const readiness = openReadiness({ databaseUrl, deadlineMs: 20_000 });
  const { database = '' } = textsOf(await readiness.check());
  const expiresAt = readiness.certificateExpiresAt();
  await readiness.close();
  return expiresAt === null ? database : `${database} until ${expiresAt.toISOString()}`;
}

const migrationOver = (databaseUrl: string) =>
  migrate({ databaseUrl, migrationsDir: MIGRATIONS }).then(() => 'ok', String);

const UNKNOWN_CA = /self-signed certificate|unable to (get|verify)/i;

// What docs/operations.md says about each.
describe.each(['verify-full', 'verify-ca', 'require', 'prefer'])('sslmode=%s', (sslmode) => {
  test('connects with TLS to a server whose certificate is signed by the named authority', async () => {
    const url = withParameters(server.namedUrl, { sslmode, sslrootcert: server.certificates.ca });
    const { validTo } = new X509Certificate(readFileSync(server.certificates.cert));
    const until = `ok until ${new Date(validTo).toISOString()}`;
    expect(await Promise.all([poolOver(url), readinessOver(url), migrationOver(url)])).toEqual(['tls', until, 'ok']);
  }, 60_000);

  test.each([
    ['of another authority', () => ({ sslrootcert: server.certificates.otherCa })],
    ['of a private authority that was not named', () => ({})],
  ])('refuses a server whose certificate is %s', async (_which, more) => {
    const url = withParameters(server.namedUrl, { sslmode, ...more() });
    for (const found of await Promise.all([poolOver(url), readinessOver(url), migrationOver(url)]))
      expect(found).toMatch(UNKNOWN_CA);
  });

  test('refuses a server without TLS', async () => {
    const url = withParameters(server.plainUrl, { sslmode, sslrootcert: server.certificates.ca });
    for (const found of await Promise.all([poolOver(url), readinessOver(url), migrationOver(url)]))
      expect(found).toContain('The server does not support SSL connections');
  });
});

test('a certificate for another name is refused, unless only the authority is checked, as with libpq', async () => {
  // It is for localhost, not for 127.0.0.1.
  const over = (parameters: Record<string, string>) =>
    poolOver(withParameters(server.url, { sslrootcert: server.certificates.ca, ...parameters }));
  expect(await over({ sslmode: 'require' })).toMatch(/does not match certificate/);
  expect(await over({ sslmode: 'verify-full' })).toMatch(/does not match certificate/);
  expect(await over({ sslmode: 'verify-ca', uselibpqcompat: 'true' })).toBe('tls');
});

test.each([
  [
    'of another authority',
    () => withParameters(server.namedUrl, { sslmode: 'verify-full', sslrootcert: server.certificates.otherCa }),
  ],
  ['that is self-signed', () => withParameters(server.namedUrl, { sslmode: 'verify-full' })],
  [
    'for another name',
    () => withParameters(server.url, { sslmode: 'verify-full', sslrootcert: server.certificates.ca }),
  ],
])('a certificate %s means that the database is unavailable, whichever way a statement takes', async (_which, url) => {
  const db = openDatabase({ url: url(), poolSize: 1, ...PATIENT });
  const ways = [() => db.$hot('SELECT 1', []), () => db.$connections.query('SELECT 1'), () => db.$queryRaw`SELECT 1`];
  try {
    for (const way of ways) {
      const error = await way().then(
        () => null,
        (failure: unknown) => failure,
      );
      expect([String(error), isDatabaseUnreachable(error)]).toEqual([expect.stringMatching(/certificate/), true]);
    }
  } finally {
    await db.$disconnect();
  }
});

test.each([
  ['no-verify', 'tls'],
  ['disable', 'plain'],
])('sslmode=%s checks nothing', async (sslmode, way) => {
  expect(await poolOver(withParameters(server.url, { sslmode }))).toBe(way);
});

test('without sslmode there is no TLS', async () => {
  expect(await poolOver(server.url)).toBe('plain');
});

test('a statement that takes too long is cancelled at the server over TLS, too', async () => {
  const url = withParameters(server.namedUrl, { sslmode: 'verify-full', sslrootcert: server.certificates.ca });
  const pool = new DeadlinePool({ url, poolSize: 1, statementMs: 300 });
  const sleeping = () =>
    queryOnce(server.url, `SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep%'`);
  try {
    await expect(pool.query('SELECT pg_sleep(300)')).rejects.toBeInstanceOf(DeadlineError);
    await eventually(async () => expect((await sleeping()).rows).toEqual([]));
  } finally {
    await pool.close();
  }
});
