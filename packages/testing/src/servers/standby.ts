import {
  appendFileSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Postgres, startPostgres } from '@pts/embedded/postgres';
import pg from 'pg';
import { queryOnce } from '../database.ts';
import { eventually } from '../eventually.ts';

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
