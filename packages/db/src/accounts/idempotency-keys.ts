import { column, columns, type Db, hotExecute, hotRows } from '../connection.ts';
import { type IdempotencyKey, Prisma } from '../generated/client.ts';

/** How long the answer of a request is kept under its key. */
export const KEPT_HOURS = 24;
/** A run that does not renew its lease ends after this long: its process is gone. */
export const RUN_LEASE_SECONDS = 15;

/** A request under a key that its sender chose. */
export type KeyedRequest = { accountId: string; key: string; requestHash: Uint8Array<ArrayBuffer> };
/** A run of a request, by a holder that is its own. */
export type Run = Pick<KeyedRequest, 'accountId' | 'key'> & { holder: string };

export type Claimed =
  | { kind: 'claimed' }
  /** `sealedBody` null: it was too large. */
  | { kind: 'answered'; status: number; sealedBody: string | null }
  | { kind: 'running'; until: Date }
  /** The key belongs to another request. */
  | { kind: 'other' };

const CLAIMED = columns({ holder: column<IdempotencyKey['holder']>('holder') });

/** A key can be removed or released between two statements. */
const TRIES = 3;

/**
 * Claims a key for a request that is about to run, unless it has been used in the last 24 hours. A run whose process is
 * gone can be claimed again by the same request.
 */
export async function claimKey(db: Db, request: KeyedRequest & Run, now: Date): Promise<Claimed> {
  const { accountId, key, requestHash, holder } = request;
  for (let tries = 0; tries < TRIES; tries++) {
    const [claimed] = await hotRows(
      db,
      CLAIMED,
      (list) => Prisma.sql`
        INSERT INTO public.idempotency_keys AS i (account_id, key, request_hash, holder, leased_until, created_at)
        VALUES (${accountId}, ${key}, ${Buffer.from(requestHash)}, ${holder},
          ${leaseEnd(now).toISOString()}::timestamptz, ${now.toISOString()}::timestamptz)
        ON CONFLICT (account_id, key) DO UPDATE SET request_hash = excluded.request_hash, holder = excluded.holder,
          leased_until = excluded.leased_until, created_at = excluded.created_at, status = NULL, sealed_body = NULL
        WHERE i.created_at <= ${keptSince(now).toISOString()}::timestamptz
          OR (i.status IS NULL AND i.leased_until <= ${now.toISOString()}::timestamptz AND i.request_hash = excluded.request_hash)
        RETURNING ${list}`,
    );
    if (claimed) return { kind: 'claimed' };
    const known = await db.idempotencyKey.findUnique({ where: { accountId_key: { accountId, key } } });
    if (!known) continue;
    if (!Buffer.from(known.requestHash).equals(requestHash)) return { kind: 'other' };
    if (known.status === null) return { kind: 'running', until: known.leasedUntil };
    return { kind: 'answered', status: known.status, sealedBody: known.sealedBody };
  }
  return { kind: 'running', until: now };
}

/** Continues the lease of a run. */
export async function renewRun(db: Db, { accountId, key, holder }: Run, now: Date): Promise<void> {
  await db.idempotencyKey.updateMany({
    where: { accountId, key, holder, status: null },
    data: { leasedUntil: leaseEnd(now) },
  });
}

/** Keeps the answer of a run. */
export async function keepAnswer(
  db: Db,
  { accountId, key, holder }: Run,
  { status, sealedBody }: { status: number; sealedBody: string | null },
): Promise<void> {
  await hotExecute(
    db,
    Prisma.sql`UPDATE public.idempotency_keys SET status = ${status}::smallint, sealed_body = ${sealedBody}
      WHERE account_id = ${accountId} AND key = ${key} AND holder = ${holder}`,
  );
}

/** Ends a run without an answer: the request may be sent again. */
export async function releaseKey(db: Db, { accountId, key, holder }: Run): Promise<void> {
  await db.idempotencyKey.deleteMany({ where: { accountId, key, holder } });
}

/** Removes up to `batch` keys whose time is over, skipping locked rows. @returns the number of removed ones. */
export async function forgetKeys(db: Db, { now, batch }: { now: Date; batch: number }): Promise<number> {
  return db.$executeRaw`
    DELETE FROM public.idempotency_keys WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM public.idempotency_keys WHERE created_at <= ${keptSince(now).toISOString()}::timestamptz
      ORDER BY created_at LIMIT ${batch} FOR UPDATE SKIP LOCKED))`;
}

function leaseEnd(now: Date): Date {
  return new Date(now.getTime() + RUN_LEASE_SECONDS * 1000);
}

function keptSince(now: Date): Date {
  return new Date(now.getTime() - KEPT_HOURS * 3_600_000);
}
