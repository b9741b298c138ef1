import { startGate } from '@pts/testing/gate';
import { startRedis } from '@pts/testing/servers/redis';
import { Redis } from 'ioredis';

/** A Redis, and its possible faults. */
export type WorldRedis = {
  /** For the services, through a gate. */
  url: string;
  gate: Awaited<ReturnType<typeof startGate>>;
  /** Sends one command, bypassing the gate. */
  command(name: string, ...args: (string | number)[]): Promise<unknown>;
  stop(): Promise<void>;
  /** Empty, on the same port. */
  start(): Promise<void>;
  close(): Promise<void>;
};

export async function startWorldRedis(log: (line: string) => void): Promise<WorldRedis> {
  let server = await startRedis({ log });
  const { url } = server;
  const port = Number(new URL(url).port);
  const gate = await startGate(url, port);
  let isRunning = true;
  const stop = async () => {
    if (isRunning) await server.stop();
    isRunning = false;
  };
  return {
    url: gate.url,
    gate,
    stop,
    command: async (name, ...args) => {
      const client = new Redis(url, { retryStrategy: () => null });
      client.on('error', () => {});
      try {
        return await client.call(name, ...args);
      } finally {
        client.disconnect();
      }
    },
    start: async () => {
      if (!isRunning) server = await startRedis({ port });
      isRunning = true;
    },
    close: async () => {
      await gate.close();
      await stop();
    },
  };
}
