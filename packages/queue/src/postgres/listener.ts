import { DeadlineClient, isDirect, KEEP_ALIVE } from '@pts/db/pool';
import type pg from 'pg';
import type { OutageLog } from '../health/outage-log.ts';
import { CONNECT_MS, STATEMENT_MS } from './pool.ts';

/** A notification on a channel; null: some may have been missed. */
export type Hear = (payload: string | null) => void;

/** One connection that listens to Postgres' notifications, for the whole process. */
export type Listener = {
  /** @returns a function that ends it. */
  listen(channel: string, hear: Hear): () => void;
  /** Whether notifications arrive; while they do not, listeners poll. */
  isListening(): boolean;
  close(): Promise<void>;
};

type Options = {
  databaseUrl: string;
  outages: OutageLog;
  /** Called once with an explanation if a pooler is in between, which does not forward notifications. */
  onInfo?: ((text: string) => void) | undefined;
  /** Says what happens without notifications. */
  otherwise: string;
  /** Called when the connection proves to be dead. */
  onLost?(): void;
};

const RECONNECT_MS = { first: 100, max: 1000 };
/** A connection that has gone silent is noticed after this and the deadline of a statement. */
const HEARTBEAT_MS = 1000;
const POOLER = 'a connection pooler answers at DATABASE_URL, through which no notifications arrive';
const ADVICE = 'Set DIRECT_DATABASE_URL to the PostgreSQL server itself';
/** A pooler remains one until a server replaces it. */
const ASK_POOLER_AGAIN_MS = 60_000;

export function openListener({ databaseUrl, outages, onInfo, otherwise, onLost = () => {} }: Options): Listener {
  const hearers = new Map<string, Set<Hear>>();
  let client: DeadlineClient | null = null;
  let isUp = false;
  let metPooler = false;
  let isClosed = false;
  let waitMs = RECONNECT_MS.first;
  let timer: NodeJS.Timeout | undefined;

  const notify = (channel: string, payload: string | null) => {
    for (const hear of hearers.get(channel) ?? []) hear(payload);
  };
  const after = (ms: number, next: () => Promise<void>) => {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(() => void next(), ms);
  };

  function lose(lost: DeadlineClient): void {
    lost.destroy();
    if (client !== lost) return;
    client = null;
    isUp = false;
    onLost();
    for (const channel of hearers.keys()) notify(channel, null);
    after(waitMs, connect);
    waitMs = Math.min(RECONNECT_MS.max, waitMs * 2);
  }

  async function connect(): Promise<void> {
    const settings = { ...KEEP_ALIVE, connectionString: databaseUrl, connectionTimeoutMillis: CONNECT_MS };
    const fresh = new DeadlineClient(settings, STATEMENT_MS);
    client = fresh;
    fresh.on('error', () => lose(fresh));
    fresh.on('end', () => lose(fresh));
    fresh.on('notification', ({ channel, payload = '' }) => notify(channel, payload));
    try {
      await fresh.connect();
      if (!(await isDirect(fresh))) return leavePooler(fresh);
      for (const channel of hearers.keys()) await send(fresh, `LISTEN ${channel}`);
      isUp = true;
      waitMs = RECONNECT_MS.first;
      for (const channel of hearers.keys()) notify(channel, null);
      after(HEARTBEAT_MS, () => beat(fresh));
    } catch (error) {
      if (!isClosed) outages.error(error as Error);
      lose(fresh);
    }
  }

  async function beat(current: DeadlineClient): Promise<void> {
    try {
      await send(current, 'SELECT 1');
      outages.worked();
      if (client === current) after(HEARTBEAT_MS, () => beat(current));
    } catch (error) {
      if (!isClosed) outages.error(error as Error);
      lose(current);
    }
  }

  function leavePooler(current: DeadlineClient): void {
    client = null;
    if (!metPooler) onInfo?.(`${POOLER}: ${otherwise}. ${ADVICE}`);
    metPooler = true;
    after(ASK_POOLER_AGAIN_MS, connect);
    current.destroy();
  }

  return {
    listen(channel, hear) {
      const known = hearers.get(channel);
      if (known) known.add(hear);
      else {
        hearers.set(channel, new Set([hear]));
        const current = client;
        if (current && isUp) send(current, `LISTEN ${channel}`).catch(() => lose(current));
        else if (!current && timer === undefined) void connect();
      }
      return () => void hearers.get(channel)?.delete(hear);
    },
    isListening: () => isUp,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      const last = client;
      client = null;
      isUp = false;
      last?.destroy();
    },
  };
}

/** Sends a statement, with node-pg's own types. */
const send = (client: pg.ClientBase, text: string) => client.query(text);
