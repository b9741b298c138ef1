import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startPostgres } from '@pts/embedded/postgres';
import { createTemporaryFolder } from '@pts/embedded/temporary-folder';
import pg from 'pg';
import { migrateDatabase } from '../migrate.ts';
import { testFolder } from './servers-env.ts';

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
