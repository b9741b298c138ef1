import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { textsOf } from '@pts/core/process/readiness-check';
import { PATIENT } from '@pts/testing/database';
import { MIGRATIONS } from '@pts/testing/migrate';
import { startTlsPostgres, type TlsPostgres, withParameters } from '@pts/testing/servers/tls-postgres';
import { migrate } from '../migrate/migrate.ts';
import { openReadiness } from '../migrate/readiness.ts';
import { isDatabaseUnreachable, openDatabase } from './client.ts';

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
