import type { Db } from './connection.ts';
import { messageOf } from './errors.ts';

/** A database for reads that may be `MAX_STALE_MS` old: a replica while it is fresh, otherwise the primary. */
export type ReadDb = {
  /** Runs statements that only read an account's rows. If the replica fails, they run on the primary. */
  read<T>(accountId: string, statements: (db: Db) => Promise<T>): Promise<T>;
  /** An account has just changed something: for a while, its reads go to the primary, so that they see the change. */
  changed(accountId: string): void;
  /** Compares the replica with the primary; due every `LOOK_EVERY_MS`. @throws if one of them does not answer */
  look(): Promise<void>;
  /** The age of the newest commit of the primary that the replica is known to have; null before it is known. */
  lagMs(): number | null;
};

/** How old what a replica shows may be, in milliseconds. */
export const MAX_STALE_MS = 2000;
export const LOOK_EVERY_MS = 500;
/** Positions of the primary that are remembered: those of a minute. */
const MAX_POSITIONS = 120;

/** Where there is no replica. */
export function readPrimary(db: Db): ReadDb {
  return {
    read: (_accountId, statements) => statements(db),
    changed: () => {},
    look: async () => {},
    lagMs: () => null,
  };
}

type Options = {
  primary: Db;
  replica: Db;
  /** Milliseconds since some moment. */
  elapsed?: () => number;
  /** Told of a change between the replica and the primary. */
  onUse?: (isUsed: boolean, reason: string) => void;
};

/**
 * Reads from a replica whose age is bounded. It is measured by the positions of the primary's log, since the times of
 * replayed commits say nothing while there are none.
 */
export function readReplica({
  primary,
  replica,
  elapsed = () => performance.now(),
  onUse = () => {},
}: Options): ReadDb {
  const positions: { lsn: bigint; at: number }[] = [];
  /** When the newest position that the replica has reached was the primary's. */
  let reachedAt: number | null = null;
  /** The last value passed to `onUse`. */
  let isUsed = false;
  const changes = new Map<string, number>();
  const lagMs = () => (reachedAt === null ? null : elapsed() - reachedAt);
  const isFresh = () => (lagMs() ?? Number.POSITIVE_INFINITY) <= MAX_STALE_MS;
  const use = (next: boolean, reason: string) => {
    if (next !== isUsed) onUse(next, reason);
    isUsed = next;
  };
  const leaveOut = (reason: string) => {
    reachedAt = null;
    use(false, reason);
  };
  return {
    async read(accountId, statements) {
      const changedAt = changes.get(accountId);
      const mustSee = changedAt !== undefined && elapsed() - changedAt <= MAX_STALE_MS;
      if (mustSee || !isFresh()) return statements(primary);
      try {
        return await statements(replica);
      } catch (error) {
        // It was lost, or cancelled the statement in favour of its recovery. A fault of the statement shows again.
        leaveOut(messageOf(error));
        return statements(primary);
      }
    },
    changed: (accountId) => {
      changes.delete(accountId);
      changes.set(accountId, elapsed());
    },
    async look() {
      forgetOld(changes, elapsed() - MAX_STALE_MS);
      const at = elapsed();
      positions.push({ lsn: await positionOf(primary, 'pg_current_wal_insert_lsn()'), at });
      if (positions.length > MAX_POSITIONS) positions.shift();
      let reached: bigint;
      try {
        reached = await positionOf(replica, 'CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() END');
      } catch (error) {
        leaveOut(messageOf(error));
        throw error;
      }
      reachedAt = positions.findLast(({ lsn }) => lsn <= reached)?.at ?? null;
      use(isFresh(), 'it is behind the primary');
    },
    lagMs,
  };
}

/** The changes are in the order of their times. */
function forgetOld(changes: Map<string, number>, before: number): void {
  for (const [accountId, at] of changes) {
    if (at > before) return;
    changes.delete(accountId);
  }
}

/** A position in the log, as a number of bytes. @throws if there is none: the server is not a replica */
async function positionOf(db: Db, expression: string): Promise<bigint> {
  const { rows } = await db.$connections.query<{ lsn: string | null }>(`SELECT (${expression})::text AS lsn`);
  const [high, low] = rows[0]?.lsn?.split('/') ?? [];
  if (high === undefined || low === undefined) throw new Error('the server of DATABASE_REPLICA_URL is not a replica');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
