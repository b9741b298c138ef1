import { Redis } from 'ioredis';
import { startRedis } from './redis.ts';

/** A server of several, which can be lost. */
export type RedisMember = {
  port: number;
  url: string;
  /** Sends one command. */
  call(command: string, ...args: (string | number)[]): Promise<unknown>;
  /** As kill -9 does. */
  kill(): Promise<void>;
  /** Starts it on its port after `kill`, without data. @param settings in place of its own. */
  start(settings?: Record<string, string>): Promise<void>;
  /** Suspends it: its connections stay open, and nothing is answered. @returns a function that continues it. */
  freeze(): Promise<() => void>;
  stop(): Promise<void>;
};

type Options = { settings?: Record<string, string>; sentinel?: string; port?: number };

export async function startRedisMember(options: Options = {}): Promise<RedisMember> {
  let server = await startRedis(options);
  const { port, url } = server;
  const call: RedisMember['call'] = async (command, ...args) => {
    const client = new Redis(url, { maxRetriesPerRequest: null });
    client.on('error', () => {}); // it connects again
    try {
      return await client.call(command, ...args);
    } finally {
      client.disconnect();
    }
  };
  const signal = async () => {
    const pid = Number(/process_id:(\d+)/.exec(String(await call('INFO', 'server')))?.[1]);
    return (name: NodeJS.Signals) => void process.kill(pid, name);
  };
  return {
    port,
    url,
    call,
    async kill() {
      (await signal())('SIGKILL');
      await server.stop(); // removes its files
    },
    start: async (settings = options.settings) => {
      server = await startRedis({ port, ...(settings && { settings }) });
    },
    async freeze() {
      const send = await signal();
      send('SIGSTOP');
      return () => send('SIGCONT');
    },
    stop: () => server.stop(),
  };
}
