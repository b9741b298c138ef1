import { type Postgres, startPostgres } from '@pts/embedded/postgres';
import { type Certificates, makeCertificates } from '@pts/testing/certificates';
import { emptyDatabase, queryOnce, type TestDatabase } from '@pts/testing/database';
import { migrateQueue } from './migrate.ts';
import { openPool } from './postgres-pool.ts';

let certificates: Certificates;
let postgres: Postgres;
let plain: TestDatabase;
beforeAll(async () => {
  certificates = makeCertificates();
  postgres = await startPostgres({ persistent: false, tls: certificates });
  plain = await emptyDatabase();
}, 120_000);
afterAll(async () => {
  await postgres.stop();
  await plain.close();
  certificates.remove();
}, 60_000);

/** The URL with TLS required, by the name that the certificate is for. */
const secured = (url: string, sslrootcert: string) =>
  `${url.replace('@127.0.0.1:', '@localhost:')}?${new URLSearchParams({ sslmode: 'verify-full', sslrootcert })}`;

/** @returns whether the queue's schema exists on the server. */
async function isMigrated(): Promise<boolean> {
  const { rows } = await queryOnce<{ found: boolean }>(
    postgres.url,
    `SELECT to_regclass('bullmq.migration') IS NOT NULL AS found`,
  );
  return rows[0]?.found === true;
}

/** How the pool connects to the database: `tls`, `plain`, or why it cannot. */
async function poolOver(databaseUrl: string): Promise<string> {
  const pool = openPool({ databaseUrl, max: 1, onError: () => {} });
  try {
    const { rows } = await pool.query<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    return rows[0]?.ssl ? 'tls' : 'plain';
  } catch (error) {
    return String(error);
  } finally {
    await pool.end();
  }
}

test.each([
  ['of another authority', () => secured(postgres.url, certificates.otherCa), /self-signed|unable to (get|verify)/],
  [
    'for another name',
    () => secured(postgres.url, certificates.ca).replace('localhost', '127.0.0.1'),
    /does not match/,
  ],
  ['missing: it has no TLS', () => secured(plain.url, certificates.ca), /does not support SSL connections/],
])('a server is neither migrated nor used if its certificate is %s', async (_which, url, reason) => {
  await expect(migrateQueue(url())).rejects.toThrow(reason);
  expect(await isMigrated()).toBe(false);
  expect(await poolOver(url())).toMatch(reason);
});

test('a server with the certificate of the named authority is migrated and used', async () => {
  const url = secured(postgres.url, certificates.ca);
  await migrateQueue(url);
  expect(await isMigrated()).toBe(true);
  expect(await poolOver(url)).toBe('tls');
});
