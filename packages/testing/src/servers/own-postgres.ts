import { startPostgres } from '@pts/embedded/postgres';
import pg from 'pg';
import { migrateDatabase } from '../migrate.ts';

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
  const server = await startPostgres({ persistent: false });
  await migrateDatabase(server.url);
  const admin = new pg.Client({ connectionString: server.url });
  admin.on('error', () => {});
  await admin.connect();
  let frozen: number[] = [];
  const thaw = () => {
    for (const pid of frozen.splice(0)) process.kill(pid, 'SIGCONT');
  };
  return {
    url: server.url,
    admin,
    async freeze() {
      const { rows } = await admin.query<{ pid: number }>(
        'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()',
      );
      const file = await admin.query<{ text: string }>(`SELECT pg_read_file('postmaster.pid') AS text`);
      frozen = [Number.parseInt(file.rows[0]?.text ?? '', 10), ...rows.map(({ pid }) => pid)];
      for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    },
    thaw,
    async close() {
      thaw();
      await admin.end();
      await server.stop();
    },
  };
}
