import { execFile, execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createTemporaryFolder } from '@pts/embedded/machine';
import { type Postgres, startPostgres } from '@pts/embedded/postgres';
import pg from 'pg';
import { emptyDatabase, migrateDatabase, queryOnce } from '../database.ts';
import { eventually } from '../eventually.ts';
import { testFolder } from '../stores.ts';
import { cachedWithApt, installWithApt } from './programs.ts';

/** A migrated server for one test, whose faults affect no other. */
export type OwnPostgres = {
  url: string;
  /** The test's own session. */
  admin: pg.Client;
  /** Stops every process of the server, as SIGSTOP does: connections stay open, and nothing is answered. */
  freeze(): Promise<void>;
  thaw(): void;
  close(): Promise<void>;
};

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const dir = createTemporaryFolder('pts-postgres-');
  await promisify(execFile)('cp', ['-a', `${await migratedCluster()}/.`, dir]);
  const server = await startPostgres({ dir, persistent: false });
  // Nothing is left to do, unless its port was taken: then it was created once more.
  await migrateDatabase(server.url);
  const admin = new pg.Client({ connectionString: server.url });
  admin.on('error', () => {});
  await admin.connect();
  const frozen: number[] = [];
  const thaw = () => {
    for (const pid of frozen.splice(0)) process.kill(pid, 'SIGCONT');
  };
  return {
    url: server.url,
    admin,
    async freeze() {
      const stop = (pid: number) => {
        process.kill(pid, 'SIGSTOP');
        frozen.push(pid);
      };
      const file = await admin.query<{ text: string }>(`SELECT pg_read_file('postmaster.pid') AS text`);
      // First: from then on no process is added, and the number of one that ends stays taken.
      stop(Number.parseInt(file.rows[0]?.text ?? '', 10));
      const { rows } = await admin.query<{ pid: number }>(
        'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()',
      );
      for (const { pid } of rows) stop(pid);
    },
    thaw,
    async close() {
      thaw();
      await admin.end();
      await server.stop();
    },
  };
}

/** The files of a migrated server: made once per run, because creating and migrating one takes seconds. */
async function migratedCluster(): Promise<string> {
  const made = join(testFolder(), 'postgres');
  if (existsSync(made)) return made;
  const dir = mkdtempSync(`${made}.`);
  const server = await startPostgres({ dir, persistent: true });
  try {
    await migrateDatabase(server.url);
  } finally {
    await server.stop();
  }
  try {
    renameSync(dir, made);
  } catch (error) {
    // A test that runs beside this one has made it, too.
    if (!existsSync(made)) throw error;
    rmSync(dir, { recursive: true });
  }
  return made;
}

/** A PostgreSQL with TLS, and a database on one without it. */
export type TlsPostgres = {
  certificates: Certificates;
  /** At its IP address, which the certificate is not for. */
  url: string;
  /** At the name that the certificate is for. */
  namedUrl: string;
  plainUrl: string;
  close(): Promise<void>;
};

export async function startTlsPostgres(): Promise<TlsPostgres> {
  const certificates = makeCertificates();
  const postgres = await startPostgres({ persistent: false, tls: certificates });
  const plain = await emptyDatabase();
  return {
    certificates,
    url: postgres.url,
    namedUrl: postgres.url.replace('@127.0.0.1:', '@localhost:'),
    plainUrl: plain.url,
    close: async () => {
      await Promise.all([postgres.stop(), plain.close()]);
      certificates.remove();
    },
  };
}

/** A URL with query parameters. */
export const withParameters = (url: string, parameters: Record<string, string>) =>
  `${url}?${new URLSearchParams(parameters)}`;

/** Files in PEM. */
type Certificate = { cert: string; key: string };

type Authority = {
  /** The authority's own certificate, in PEM. */
  ca: string;
  /**
   * A server's certificate, for `DNS:localhost` or `IP:127.0.0.1`; for 2 days, unless `validity` has other options of
   * `openssl x509`.
   */
  issue(server: string, altNames: string, ...validity: string[]): Certificate;
  remove(): void;
};

export type Certificates = Certificate & {
  /** The authority that issued the certificate to localhost (not to 127.0.0.1). */
  ca: string;
  /** An authority that signed nothing. */
  otherCa: string;
  remove(): void;
};

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** A private authority, made by the openssl on the PATH. */
export function makeAuthority(name = 'ca'): Authority {
  const dir = mkdtempSync(join(tmpdir(), 'pts-certificates-'));
  const file = (name: string) => join(dir, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'pipe' });
  openssl('req', '-x509', ...NEW_KEY, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', `/CN=${name}`, '-days', '2');
  // Servers may run as another user, who must be able to enter the folder.
  chmodSync(dir, 0o755);
  return {
    ca: file('ca.pem'),
    issue(server, altNames, ...validity) {
      const [key, request, extensions, cert] = [`${server}.key`, `${server}.csr`, `${server}.ext`, `${server}.pem`];
      openssl('req', ...NEW_KEY, '-keyout', key, '-out', request, '-subj', `/CN=${server}`);
      writeFileSync(file(extensions), `subjectAltName=${altNames}`);
      const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', extensions];
      const period = validity.length > 0 ? validity : ['-days', '2'];
      openssl('x509', '-req', '-in', request, ...by, '-out', cert, ...period);
      return { cert: file(cert), key: file(key) };
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** A certificate for localhost with its authority, and an authority that signed nothing. */
export function makeCertificates(): Certificates {
  const [authority, other] = [makeAuthority(), makeAuthority('other-ca')];
  return {
    ...authority.issue('server', 'DNS:localhost'),
    ca: authority.ca,
    otherCa: other.ca,
    remove() {
      authority.remove();
      other.remove();
    },
  };
}

const INSTALLED = '/usr/lib/postgresql';
const NEEDED = ['postgres', 'initdb', 'pg_dump', 'pg_restore', 'psql'];

/** A PostgreSQL with its command line, which the one in node_modules does not have: the folder with bin/ and lib/. */
export type SystemPostgres = { binaries: string; env: NodeJS.ProcessEnv };

/** The newest one that is installed, or the system's, unpacked into .cache. @throws when there is none to install */
export async function systemPostgres(): Promise<SystemPostgres> {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = versions.map((version) => join(INSTALLED, version));
  const binaries = folders.find((folder) => NEEDED.every((program) => existsSync(join(folder, 'bin', program))));
  if (binaries !== undefined) return { binaries, env: {} };
  const { stdout } = await promisify(execFile)('apt-cache', ['show', 'postgresql']);
  const version = /^Version: (\d+)/m.exec(stdout)?.[1];
  if (version === undefined)
    throw new Error('This test needs pg_dump and its server: install the packages postgresql and postgresql-client.');
  const wanted = {
    name: `postgresql-${version}`,
    server: `usr/lib/postgresql/${version}/bin/postgres`,
    cache: 'postgresql',
  };
  const { server, env } = cachedWithApt(wanted) ?? (await installWithApt(wanted));
  return { binaries: dirname(dirname(server)), env };
}

/** A server that follows another one asynchronously. */
export type Standby = Postgres & {
  /** Waits until it has everything that the primary has committed so far. */
  catchUp(): Promise<void>;
  /** Makes it a primary of its own, on the next timeline. */
  promote(): Promise<void>;
};

type Options = {
  /** The primary, and the folder that it was started in. */
  primary: Pick<Postgres, 'url'> & { dir: string };
  /** Where the standby keeps its data. */
  dir: string;
  persistent: boolean;
  /** The address at which the standby reaches the primary; default: the primary's own. */
  through?: string;
  /** As of the primary; default: those in node_modules. */
  binaries?: string | undefined;
};

/** Copies a running server as a base backup, with SQL and file copies only, and starts the copy as its standby. */
export async function startStandby({
  primary,
  dir,
  persistent,
  through = primary.url,
  binaries,
}: Options): Promise<Standby> {
  const home = realpathSync(primary.dir);
  const owner = ownerOf(join(home, 'data'));
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  copyFile(join(home, 'password'), join(dir, 'password'), owner);
  const label = await backUp(primary.url, () => copyFolder(join(home, 'data'), join(dir, 'data'), owner));
  const at = (name: string) => join(dir, 'data', name);
  writeFileSync(at('backup_label'), label, { mode: 0o600 });
  writeFileSync(at('standby.signal'), '', { mode: 0o600 });
  const { hostname, port, username, password } = new URL(through);
  const source = `host=${hostname} port=${port} user=${username} password=${password}`;
  appendFileSync(at('postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
  for (const name of ['backup_label', 'standby.signal']) give(at(name), owner);
  const server = await startPostgres({ dir, persistent, binaries });
  return {
    ...server,
    async catchUp() {
      // Without synchronous commits, the newest transactions may not have been written yet.
      const { rows } = await queryOnce<{ lsn: string }>(primary.url, 'SELECT pg_current_wal_insert_lsn() AS lsn');
      const behind = `SELECT pg_last_wal_replay_lsn() >= '${rows[0]?.lsn}' AS is_even`;
      await eventually(async () => expectRow(await queryOnce<{ is_even: boolean }>(server.url, behind)));
    },
    async promote() {
      await queryOnce(server.url, 'SELECT pg_promote(true, 60)');
    },
  };
}

function expectRow({ rows }: pg.QueryResult<{ is_even: boolean }>): void {
  if (rows[0]?.is_even !== true) throw new Error('the standby has not caught up');
}

/** The session stays open during the copy. @returns the label that tells the copy where to begin its recovery. */
async function backUp(url: string, copy: () => void): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Kept until the standby has fetched it.
    await client.query("ALTER SYSTEM SET wal_keep_size = '1GB'");
    await client.query('SELECT pg_reload_conf()');
    await client.query("SELECT pg_backup_start('standby', true)");
    copy();
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    return rows[0]?.labelfile ?? '';
  } finally {
    await client.end();
  }
}

type Owner = { uid: number; gid: number };

/** If we are root, the server runs as another user. */
function ownerOf(path: string): Owner | null {
  const { uid, gid } = statSync(path);
  return process.getuid?.() === 0 ? { uid, gid } : null;
}

function give(path: string, owner: Owner | null): void {
  if (owner) chownSync(path, owner.uid, owner.gid);
}

/** Files of the running server itself; the copy gets its log (pg_wal) from the primary. */
const LEFT_OUT = ['postmaster.pid', 'postmaster.opts'];

function copyFolder(from: string, to: string, owner: Owner | null): void {
  mkdirSync(to, { mode: 0o700 });
  give(to, owner);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyFolder(source, target, owner);
    else if (!LEFT_OUT.includes(entry.name) && !from.endsWith('pg_wal')) copyFile(source, target, owner);
  }
}

/** A running server removes files; one that is gone is not needed. */
function copyFile(from: string, to: string, owner: Owner | null): void {
  try {
    copyFileSync(from, to);
    give(to, owner);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
