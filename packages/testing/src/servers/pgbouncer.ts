import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findProgram, startInFolder, startOnPort } from './programs.ts';

export type TestPgBouncer = {
  /** The database, through PgBouncer. */
  url: string;
  /** Ends it at once, with all connections. */
  kill(): void;
  stop(): Promise<void>;
};

const PGBOUNCER = {
  program: 'pgbouncer',
  from: { name: 'pgbouncer', server: 'usr/sbin/pgbouncer', cache: 'pgbouncer' },
  since: '1.16',
};

type Options = {
  /** Beyond the defaults: `{ pool_mode: 'session' }`. */
  settings?: Record<string, string | number>;
  log?: (line: string) => void;
};

/**
 * Starts a PgBouncer in front of a database, in transaction mode and otherwise with its defaults. It ends with this
 * process, however that ends.
 */
export async function startPgBouncer(databaseUrl: string, options: Options = {}): Promise<TestPgBouncer> {
  // Test files have no terminal of their own: jest shows what they write to stderr.
  const log = options.log ?? ((line: string) => void process.stderr.write(`${line}\n`));
  const program = await findProgram(PGBOUNCER, log);
  const urlAt = (port: number) => Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href;
  const { port, server } = await startOnPort('PgBouncer', {
    launch(free) {
      const dir = mkdtempSync(join(tmpdir(), 'pts-pgbouncer-'));
      chmodSync(dir, 0o755); // read by the user that it runs as
      const config = configure(dir, new URL(databaseUrl), free, options.settings ?? {});
      return startInFolder(dir, [program.server, config], program.env);
    },
    expectReady: (free) => connect(urlAt(free)),
  });
  return { url: urlAt(port), kill: server.kill, stop: server.stop };
}

/** @returns the path of its configuration. */
function configure(dir: string, server: URL, port: number, settings: Record<string, string | number>): string {
  const path = (name: string) => join(dir, name);
  const quoted = (text: string) => `"${decodeURIComponent(text).replaceAll('"', '""')}"`;
  writeFileSync(path('users.txt'), `${quoted(server.username)} ${quoted(server.password)}\n`);
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: path('users.txt'),
    pool_mode: 'transaction',
    // It refuses to run as root.
    ...(process.getuid?.() === 0 ? { user: 'nobody' } : {}),
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(
    path('pgbouncer.ini'),
    ['[databases]', `* = host=${server.hostname} port=${server.port || 5432}`, '[pgbouncer]', ...lines, ''].join('\n'),
  );
  return path('pgbouncer.ini');
}

async function connect(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on('error', () => {});
  await client.connect();
  await client.end();
}
