import pg from 'pg';
import { BOUNDED, destroy, isBehindPooler, withDeadline } from './postgres-pool.ts';
import type { Trouble } from './trouble.ts';

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
  trouble: Trouble;
  /** Called once with an explanation if a pooler is in between, which does not forward notifications. */
  onNotice?: ((text: string) => void) | undefined;
  /** What happens without notifications. */
  otherwise: string;
  /** Called when the connection proves to be dead. */
  onLost?(): void;
};

const RECONNECT_MS = { first: 100, most: 1000 };
/** A connection that has gone silent is noticed after this and the deadline of a statement. */
const HEARTBEAT_MS = 1000;
const POOLER = 'a connection pooler answers at DATABASE_URL, through which no notifications arrive';
const ADVICE = 'Set DIRECT_DATABASE_URL to the PostgreSQL server itself';
/** A pooler remains one until a server replaces it. */
const ASK_POOLER_AGAIN_MS = 60_000;

export function openListener({ databaseUrl, trouble, onNotice, otherwise, onLost = () => {} }: Options): Listener {
  const hearers = new Map<string, Set<Hear>>();
  let client: pg.Client | null = null;
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

  function lose(lost: pg.Client): void {
    destroy(lost);
    if (client !== lost) return;
    client = null;
    isUp = false;
    onLost();
    for (const channel of hearers.keys()) notify(channel, null);
    after(waitMs, connect);
    waitMs = Math.min(RECONNECT_MS.most, waitMs * 2);
  }

  async function connect(): Promise<void> {
    const fresh = new pg.Client({ connectionString: databaseUrl, ...BOUNDED });
    client = fresh;
    fresh.on('error', () => lose(fresh));
    fresh.on('end', () => lose(fresh));
    fresh.on('notification', ({ channel, payload = '' }) => notify(channel, payload));
    try {
      await fresh.connect();
      if (await withDeadline(fresh, () => isBehindPooler(fresh))) return leavePooler(fresh);
      for (const channel of hearers.keys()) await withDeadline(fresh, () => fresh.query(`LISTEN ${channel}`));
      isUp = true;
      waitMs = RECONNECT_MS.first;
      for (const channel of hearers.keys()) notify(channel, null);
      after(HEARTBEAT_MS, () => beat(fresh));
    } catch (error) {
      if (!isClosed) trouble.error(error as Error);
      lose(fresh);
    }
  }

  async function beat(current: pg.Client): Promise<void> {
    try {
      await withDeadline(current, () => current.query('SELECT 1'));
      trouble.worked();
      if (client === current) after(HEARTBEAT_MS, () => beat(current));
    } catch (error) {
      if (!isClosed) trouble.error(error as Error);
      lose(current);
    }
  }

  function leavePooler(current: pg.Client): void {
    client = null;
    if (!metPooler) onNotice?.(`${POOLER}: ${otherwise}. ${ADVICE}`);
    metPooler = true;
    after(ASK_POOLER_AGAIN_MS, connect);
    destroy(current);
  }

  return {
    listen(channel, hear) {
      const known = hearers.get(channel);
      if (known) known.add(hear);
      else {
        hearers.set(channel, new Set([hear]));
        const current = client;
        if (current && isUp) current.query(`LISTEN ${channel}`).catch(() => lose(current));
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
      if (last) destroy(last);
    },
  };
}
