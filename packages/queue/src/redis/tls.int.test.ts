import { queryOnce } from '@pts/testing/database';
import { startTlsPostgres, type TlsPostgres, withParameters } from '@pts/testing/servers/postgres';
import { openPool } from '../postgres/pool.ts';
import { migrateQueue } from '../postgres/schema.ts';

let server: TlsPostgres;
beforeAll(async () => {
  server = await startTlsPostgres();
}, 120_000);
afterAll(() => server.close(), 60_000);

const secured = (url: string, sslrootcert: string) => withParameters(url, { sslmode: 'verify-full', sslrootcert });

/** @returns whether the queue's schema exists on the server. */
async function isMigrated(): Promise<boolean> {
  const { rows } = await queryOnce<{ found: boolean }>(
    server.url,
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
  [
    'of another authority',
    () => secured(server.namedUrl, server.certificates.otherCa),
    /self-signed|unable to (get|verify)/,
  ],
  ['for another name', () => secured(server.url, server.certificates.ca), /does not match/],
  [
    'missing: it has no TLS',
    () => secured(server.plainUrl, server.certificates.ca),
    /does not support SSL connections/,
  ],
])('a server is neither migrated nor used if its certificate is %s', async (_which, url, reason) => {
  await expect(migrateQueue(url())).rejects.toThrow(reason);
  expect(await isMigrated()).toBe(false);
  expect(await poolOver(url())).toMatch(reason);
});

test('a server with the certificate of the named authority is migrated and used', async () => {
  const url = secured(server.namedUrl, server.certificates.ca);
  await migrateQueue(url);
  expect(await isMigrated()).toBe(true);
  expect(await poolOver(url)).toBe('tls');
});
