import { Redis } from 'ioredis';
import pg from 'pg';

/** What processes tell each other: a parcel has its first answer. */
export type Topic = 'answered';
export type Listener = (ids: string[]) => void;

/**
 * Short messages to every process that listens, on Redis, or on Postgres where there is none. A signal may be lost:
 * that costs time, never truth, for what it tells stands in Postgres.
 */
export type Signals = {
  /** Bounded in time, and never throws. */
  publish(topic: Topic, ids: readonly string[]): Promise<void>;
  /** @returns what ends it. */
  subscribe(topic: Topic, listener: Listener): () => void;
  close(): Promise<void>;
};

type Options = { redisUrl?: string | undefined; databaseUrl: string; prefix: string; onError(error: Error): void };

/** Ids in one message: Postgres takes less than 8,000 bytes. */
const MOST_IDS = 250;
const PATIENCE_MS = 2000;
const RECONNECT_MS = { first: 100, most: 5000 };

export function openSignals(options: Options): Signals {
  const listeners = new Map<string, Set<Listener>>();
  const hear = (channel: string, payload: string) => {
    for (const listener of listeners.get(channel) ?? []) listener(payload.split(','));
  };
  const line = options.redisUrl === undefined ? onPostgres(options, hear) : onRedis(options.redisUrl, options, hear);
  return {
    async publish(topic, ids) {
      try {
        for (let i = 0; i < ids.length; i += MOST_IDS)
          await line.send(line.channel(topic), ids.slice(i, i + MOST_IDS).join(','));
      } catch (error) {
        options.onError(error as Error);
      }
    },
    subscribe(topic, listener) {
      const channel = line.channel(topic);
      const known = listeners.get(channel);
      if (known) known.add(listener);
      else {
        listeners.set(channel, new Set([listener]));
        line.listen(channel);
      }
      return () => void listeners.get(channel)?.delete(listener);
    },
    close: () => line.close(),
  };
}

/** One store's way of carrying signals. */
type Wire = {
  channel(topic: Topic): string;
  send(channel: string, payload: string): Promise<unknown>;
  listen(channel: string): void;
  close(): Promise<void>;
};

function onRedis(url: string, { prefix, onError }: Options, hear: (channel: string, payload: string) => void): Wire {
  const sender = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: PATIENCE_MS,
    commandTimeout: PATIENCE_MS,
    lazyConnect: true,
  }).on('error', onError);
  let receiver: Redis | undefined;
  return {
    channel: (topic) => `${prefix}:signal:${topic}`,
    async send(channel, payload) {
      if (sender.status === 'wait') await sender.connect();
      await sender.publish(channel, payload);
    },
    listen(channel) {
      // A connection that comes back subscribes again by itself.
      receiver ??= new Redis(url, { maxRetriesPerRequest: null }).on('error', onError).on('message', hear);
      receiver.subscribe(channel).catch(onError);
    },
    close: async () => {
      sender.disconnect();
      receiver?.disconnect();
    },
  };
}

function onPostgres({ databaseUrl, onError }: Options, hear: (channel: string, payload: string) => void): Wire {
  const settings = { connectionString: databaseUrl, connectionTimeoutMillis: PATIENCE_MS, keepAlive: true };
  const pool = new pg.Pool({ ...settings, max: 1, query_timeout: PATIENCE_MS });
  pool.on('error', onError);
  const channels = new Set<string>();
  let client: pg.Client | null = null;
  let retry: NodeJS.Timeout | undefined;
  let waitMs = RECONNECT_MS.first;
  let isClosed = false;

  const reconnect = (lost: pg.Client) => {
    if (client !== lost) return;
    client = null;
    lost.end().catch(() => {});
    if (isClosed) return;
    retry = setTimeout(() => void connect(), waitMs);
    waitMs = Math.min(RECONNECT_MS.most, waitMs * 2);
  };
  const connect = async () => {
    const fresh = new pg.Client(settings);
    client = fresh;
    fresh.on('error', (error) => {
      onError(error);
      reconnect(fresh);
    });
    fresh.on('end', () => reconnect(fresh));
    fresh.on('notification', ({ channel, payload = '' }) => hear(channel, payload));
    try {
      await fresh.connect();
      for (const channel of channels) await fresh.query(`LISTEN ${channel}`);
      waitMs = RECONNECT_MS.first;
    } catch (error) {
      onError(error as Error);
      reconnect(fresh);
    }
  };
  return {
    channel: (topic) => `pts_${topic}`,
    send: (channel, payload) => pool.query('SELECT pg_notify($1, $2)', [channel, payload]),
    listen(channel) {
      channels.add(channel);
      if (client) client.query(`LISTEN ${channel}`).catch(onError);
      else void connect();
    },
    async close() {
      isClosed = true;
      clearTimeout(retry);
      const last = client;
      client = null;
      await Promise.all([pool.end(), last?.end().catch(() => {})]);
    },
  };
}
