import { type Breaker, createBreaker } from './health/breaker.ts';
import { createOutageLog, type OutageListener, type OutageLog } from './health/outage-log.ts';
import { openListener } from './postgres/listener.ts';
import { openPool } from './postgres/pool.ts';
import { openClient, type RedisClient } from './redis/client.ts';
import { namingRedis } from './redis/describe-fault.ts';
import { PATIENT } from './redis/redis.ts';

/** The signals between processes: parcels have their first answers (their ids); accounts have new events (theirs). */
export type Topic = 'answered' | 'events';
export type Listener = (ids: string[]) => void;

/**
 * Short messages to every process that listens, on Redis, or on Postgres where there is none. A signal may be lost:
 * that costs only time, because Postgres has the state.
 */
export type Signals = {
  /** Bounded in time, and never throws. */
  publish(topic: Topic, ids: readonly string[]): Promise<void>;
  /** @returns a function that ends it. */
  subscribe(topic: Topic, listener: Listener): () => void;
  close(): Promise<void>;
};

type Options = OutageListener & {
  redisUrl?: string | undefined;
  databaseUrl: string;
  /** The server itself, where `databaseUrl` leads to a pooler: listening needs a session of its own. */
  directDatabaseUrl?: string | undefined;
  prefix: string;
  /** The breaker of the queue's connection, if the process has one. */
  breaker?: Breaker;
};

/**
 * The kind of the streams that listen to a topic. A NOTIFY holds up all commits of the database: it is for somebody.
 */
const LISTENERS = { answered: 'batch', events: 'events' } as const satisfies Record<Topic, string>;
/** Ids in one message: Postgres accepts less than 8,000 bytes. */
const MAX_IDS = 250;
const PATIENCE_MS = 2000;
/** How often a listening connection is tried: one that has gone silent is replaced. */
const PING_MS = 1000;

export function openSignals(options: Options): Signals {
  const listeners = new Map<string, Set<Listener>>();
  const hear = (channel: string, payload: string) => {
    for (const listener of listeners.get(channel) ?? []) listener(payload.split(','));
  };
  const { redisUrl, onError } = options;
  const outages =
    options.breaker?.outages ??
    createOutageLog(redisUrl === undefined ? options : { ...options, onError: namingRedis(redisUrl, onError) });
  const line =
    redisUrl === undefined ? onPostgres(options, outages, hear) : onRedis(redisUrl, options.prefix, outages, hear);
  const breaker = options.breaker ?? createBreaker({ patienceMs: PATIENCE_MS, probe: line.ping, outages });
  if (options.breaker) breaker.alsoProbe(line.ping);
  const sendAll = async (topic: Topic, ids: readonly string[]) => {
    for (let i = 0; i < ids.length; i += MAX_IDS) await line.send(topic, ids.slice(i, i + MAX_IDS).join(','));
  };
  return {
    async publish(topic, ids) {
      if (ids.length === 0) return;
      // The breaker reports what fails.
      await breaker.run(() => sendAll(topic, ids)).catch(() => {});
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
    close: () => {
      if (!options.breaker) breaker.close();
      return line.close();
    },
  };
}

/** How one store transports signals. */
type Wire = {
  channel(topic: Topic): string;
  /** Costs little if nobody listens. */
  send(topic: Topic, payload: string): Promise<unknown>;
  ping(): Promise<unknown>;
  listen(channel: string): void;
  close(): Promise<void>;
};

type Hear = (channel: string, payload: string) => void;

function onRedis(url: string, prefix: string, outages: OutageLog, hear: Hear): Wire {
  const sender = openClient(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: PATIENCE_MS,
    commandTimeout: PATIENCE_MS,
    socketTimeout: PATIENCE_MS,
    disconnectTimeout: 500,
    retryStrategy: PATIENT.retryStrategy,
    lazyConnect: true,
  }).on('error', outages.error);
  let connected: Promise<unknown> | undefined;
  const connect = () => {
    connected ??= sender.connect().catch(outages.error);
    return connected;
  };
  const heard = new Set<string>();
  let receiver: RedisClient | undefined;
  let pings: NodeJS.Timeout | undefined;
  const receive = () => {
    if (receiver) return receiver;
    const fresh = openClient(url, PATIENT).on('error', outages.error).on('message', hear);
    // A connection that comes back repeats only what Redis has accepted: not what it refused, as for a wrong password.
    fresh.on('ready', () => void fresh.subscribe(...heard).catch(outages.error));
    pings = setInterval(() => void fresh.ping().catch(() => {}), PING_MS);
    receiver = fresh;
    return fresh;
  };
  const channel = (topic: Topic) => `${prefix}:signal:${topic}`;
  return {
    channel,
    async send(topic, payload) {
      await connect();
      await sender.publish(channel(topic), payload);
    },
    async ping() {
      await connect();
      await sender.ping();
    },
    listen(channel) {
      heard.add(channel);
      receive().subscribe(channel).catch(outages.error);
    },
    close: async () => {
      clearInterval(pings);
      sender.disconnect();
      receiver?.disconnect();
    },
  };
}

function onPostgres(options: Options, outages: OutageLog, hear: Hear): Wire {
  const { databaseUrl, directDatabaseUrl = databaseUrl, onInfo } = options;
  const pool = openPool({ databaseUrl, max: 1, onError: outages.error });
  const listener = openListener({
    databaseUrl: directDatabaseUrl,
    outages,
    onInfo,
    otherwise: 'streams look for news themselves',
    onLost: pool.dropIdle,
  });
  const channel = (topic: Topic) => `pts_${topic}`;
  return {
    channel,
    send: (topic, payload) =>
      pool.query(
        `SELECT pg_notify($1, $2) WHERE EXISTS (
          SELECT 1 FROM public.stream_leases WHERE kind = $3 AND expires_at > clock_timestamp())`,
        [channel(topic), payload, LISTENERS[topic]],
      ),
    ping: () => pool.query('SELECT 1'),
    listen: (channel) => void listener.listen(channel, (payload) => payload !== null && hear(channel, payload)),
    async close() {
      await Promise.all([listener.close(), pool.end()]);
    },
  };
}
