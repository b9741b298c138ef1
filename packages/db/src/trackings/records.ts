import type { Annotations } from '@pts/core/tracking/change';
import type { Scan } from '@pts/core/tracking/scan';
import { expiresAt, RETRACK_INTERVAL_SECONDS } from '@pts/core/tracking/schedule';
import { isSubStatus, type Status, type SubStatus, watchOf } from '@pts/core/tracking/status';
import { currentOf, restartRound, type Undecided } from '@pts/core/tracking/undecided';
import { CLAIMED_AT, DUE_AT, isMonitored, SLOT_JOIN } from '../checks/schedule.ts';
import { column, columns, type Db, hotRows, type RowOf, rows, type Tx } from '../connection.ts';
import { Prisma, type Tracking } from '../generated/client.ts';
import { PAGE_GENERATION } from '../pages.ts';
import { askedOf, nextCheckAt } from './asked.ts';
import { INPUT_COLUMNS } from './inputs.ts';

const RECORD = columns({
  id: column<Tracking['id']>('t.id'),
  trackingNumber: column<Tracking['trackingNumber']>('t.tracking_number'),
  carrier: column<Tracking['carrier']>('t.carrier'),
  detected: column<Tracking['detected']>('t.detected'),
  provider: column<Tracking['provider']>('t.provider'),
  /** Null once its carrier is known; a carrier that the merchant has named counts. */
  candidates: column<Undecided | null>('CASE WHEN t.detected THEN t.candidates END'),
  status: column<Status>('t.status'),
  subStatus: column<SubStatus>('t.sub_status'),
  events: column<Scan[]>('t.events'),
  annotations: column<Annotations | null>('t.annotations'),
  notice: column<Tracking['notice']>('t.notice'),
  ...INPUT_COLUMNS,
  createdAt: column<Tracking['createdAt']>('t.created_at'),
  updatedAt: column<Tracking['updatedAt']>('t.updated_at'),
  lastCheckedAt: column<Date | null>(
    'GREATEST(c.claimed_at, t.answered_at, (t.asked_before ->> t.provider)::timestamptz)',
  ),
  /** Null: polling has stopped. Not before a pause of its provider ends. */
  nextCheckAt: column<Date | null>('GREATEST(c.due_at, p.paused_until)'),
  /** Whether the next check is the last: the parcel has arrived. */
  isFinalLook: column<boolean>('COALESCE(c.final_look, false)'),
  /** Whether its news is pushed. */
  isPushed: column<boolean>('COALESCE(c.pushed, false)'),
  /** Whether its account has an enabled webhook. */
  isMonitored: column<boolean>(isMonitored('t')),
  pageGeneration: PAGE_GENERATION,
});

/** The parts of a tracking that a merchant can see, with its next check under any pause of its provider. */
export type TrackingRecord = RowOf<typeof RECORD>;

/** The trackings of an account under these numbers; a number may be registered with several carriers. */
export async function findByNumbers(db: Db, accountId: string, numbers: readonly string[]): Promise<TrackingRecord[]> {
  const [only] = numbers;
  // A single value, not a list: for a list, the planner expects ten, and would plan again for every shorter one.
  const condition =
    numbers.length === 1
      ? Prisma.sql`t.tracking_number = ${only}`
      : Prisma.sql`t.tracking_number = ANY(${[...numbers]}::text[])`;
  return findRecords(db, accountId, condition);
}

/** The tracking of this id; null when the account has none. */
export async function findTracking(db: Db, accountId: string, id: string): Promise<TrackingRecord | null> {
  const [record] = await findRecords(db, accountId, Prisma.sql`t.id = ${id}`);
  return record ?? null;
}

/** `findTracking` within a transaction. */
export async function findTrackingIn(tx: Tx, accountId: string, id: string): Promise<TrackingRecord | null> {
  const [record] = await rows(tx, RECORD, recordsWhere(accountId, Prisma.sql`t.id = ${id}`));
  return record ?? null;
}

/** The trackings of an account under these ids. */
export async function findByIds(db: Db, accountId: string, ids: readonly string[]): Promise<TrackingRecord[]> {
  return findRecords(db, accountId, Prisma.sql`t.id = ANY(${[...ids]}::text[])`);
}

/** The trackings with these ids that have a stored answer of their carrier. */
export async function findAnswered(db: Db, accountId: string, ids: readonly string[]): Promise<TrackingRecord[]> {
  return findRecords(db, accountId, Prisma.sql`t.id = ANY(${[...ids]}::text[]) AND t.answered_at IS NOT NULL`);
}

async function findRecords(db: Db, accountId: string, condition: Prisma.Sql): Promise<TrackingRecord[]> {
  return hotRows(db, RECORD, recordsWhere(accountId, condition));
}

/**
 * Hand-written: four tables in one read, for the most frequent query. The offset makes PostgreSQL look each check up by its key:
 * joined by their accounts, it might read all checks of a large one.
 */
function recordsWhere(accountId: string, condition: Prisma.Sql): (list: Prisma.Sql) => Prisma.Sql {
  return (list) => Prisma.sql`
      SELECT ${list} FROM public.trackings t
      LEFT JOIN LATERAL (
        SELECT c.provider, c.final_look, c.pushed, ${CHECK_TIMES} FROM public.checks c ${SLOT_JOIN}
        WHERE c.tracking_id = t.id AND c.account_id = t.account_id OFFSET 0) c ON true
      LEFT JOIN public.provider_pauses p ON p.provider = c.provider
      WHERE t.account_id = ${accountId} AND ${condition} ORDER BY t.created_at, t.id`;
}
const CHECK_TIMES = Prisma.raw(`${DUE_AT} AS due_at, ${CLAIMED_AT} AS claimed_at`);

/** The provider of a tracking of this account; null if there is no such tracking. */
export async function findProvider(db: Db, accountId: string, id: string): Promise<string | null> {
  const row = await db.tracking.findFirst({ where: { id, accountId }, select: { provider: true } });
  return row?.provider ?? null;
}

export type RetrackResult =
  | { kind: 'retracked'; id: string; status: Status; provider: string }
  | { kind: 'too_soon'; retryAfterSeconds: number }
  | { kind: 'not_registered' };

/**
 * Retracks a tracking, at most once an hour (spec section 3, rule 4): the database decides. Its check is
 * due as soon as the provider's floor allows; stopped polling resumes.
 */
export async function retrack(
  db: Db,
  input: { accountId: string; id: string; floorSeconds: number; now: Date },
): Promise<RetrackResult> {
  const { accountId, id, now } = input;
  const allowedBefore = new Date(now.getTime() - RETRACK_INTERVAL_SECONDS * 1000);
  return db.$transaction(async (tx) => {
    const { count } = await tx.tracking.updateMany({
      where: { id, accountId, OR: [{ retrackedAt: null }, { retrackedAt: { lte: allowedBefore } }] },
      data: { retrackedAt: now, stoppedAt: null },
    });
    const row = await tx.tracking.findFirst({ where: { id, accountId } });
    if (!row) return { kind: 'not_registered' };
    if (count === 0) {
      // The one that was granted may have come a moment after this one.
      const elapsed = Math.max(0, now.getTime() - (row.retrackedAt ?? now).getTime()) / 1000;
      return { kind: 'too_soon', retryAfterSeconds: Math.max(1, Math.ceil(RETRACK_INTERVAL_SECONDS - elapsed)) };
    }
    const dueAt = nextCheckAt((await askedOf(tx, row))[row.provider], input.floorSeconds, now);
    const hints = hintsOf(row);
    const again = await askAllAgain(tx, row, now);
    await tx.check.upsert({
      where: { trackingId: id },
      create: {
        trackingId: id,
        accountId,
        provider: row.provider,
        carrier: row.carrier,
        trackingNumber: row.trackingNumber,
        nextCheckAt: dueAt,
        expiresAt: expiresAt(now),
        ...(hints === null ? {} : { hints }),
        ...again,
      },
      update: {
        nextCheckAt: dueAt,
        finalLook: false,
        expiresAt: expiresAt(now),
        ...storeAgain(row.subStatus),
        ...again,
      },
    });
    return { kind: 'retracked', id, status: row.status as Status, provider: again?.provider ?? row.provider };
  });
}

/** While its carrier is not known, a retrack starts a new round of its candidates. */
async function askAllAgain(tx: Tx, { id, accountId, detected, candidates }: Tracking, now: Date) {
  if (candidates === null || !detected) return null;
  const undecided = restartRound(candidates as Undecided, now);
  const { carrier, provider } = currentOf(undecided) ?? {};
  if (carrier === undefined || provider === undefined) return null;
  await tx.tracking.update({ where: { id, accountId }, data: { candidates: undecided, provider } });
  return { carrier, provider, isUndecided: true, fingerprint: null };
}

/** The answer for an arrived parcel is stored even if unchanged, so that polling stops again after the final check. */
export function storeAgain(subStatus: string): { fingerprint?: null } {
  return isSubStatus(subStatus) && watchOf(subStatus) === 'once-more' ? { fingerprint: null } : {};
}

/** The fields that a tracking's carrier needs besides the number, as stored in its check; null for none. */
export function hintsOf(row: {
  phone: string | null;
  postalCode: string | null;
  destinationCountry: string | null;
}): Record<string, string> | null {
  const { phone, postalCode, destinationCountry } = row;
  const given = Object.entries({ phone, postalCode, destinationCountry }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  return given.length === 0 ? null : Object.fromEntries(given);
}

/** Removes a tracking and its check; pending deliveries stay. @returns whether there was one. */
export async function deleteTracking(db: Db, accountId: string, id: string): Promise<boolean> {
  const { count } = await db.tracking.deleteMany({ where: { id, accountId } });
  return count > 0;
}
