import { setTimeout as delay } from 'node:timers/promises';
import { type Postgres, startPostgres } from '@pts/embedded/postgres';

export type Database = {
  url: string;
  stop(): Promise<void>;
  /** Kills it; its files no longer matter. */
  quit(): void;
};

/** The embedded PostgreSQL, restarted on the same port if it exits. */
export async function openEmbedded(dir: string, say: (line: string) => void): Promise<Database> {
  const start = (port?: number) =>
    startPostgres({ dir, persistent: true, log: say, ...(port === undefined ? {} : { port }) });
  let server = await start();
  let stopping = false;
  const { url, port } = server;

  async function keepAlive(watched: Postgres): Promise<void> {
    const code = await watched.exited;
    if (stopping) return;
    say(`PostgreSQL exited (code ${code}): restarting it`);
    for (;;) {
      try {
        server = await start(port);
        break;
      } catch (error) {
        say(error instanceof Error ? error.message : String(error));
        await delay(2000);
      }
    }
    if (stopping) await server.stop();
    else void keepAlive(server);
  }
  void keepAlive(server);

  return {
    url,
    async stop() {
      stopping = true;
      await server.stop();
    },
    quit() {
      stopping = true;
      server.quit();
    },
  };
}
