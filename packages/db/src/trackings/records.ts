import { isDeepStrictEqual } from 'node:util';
import { toSnakeCase } from '@pts/core/snake-case';
import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import type { Annotations } from '@pts/core/tracking/change';
import type { Scan } from '@pts/core/tracking/scan';
import { expiresAt, RETRACK_INTERVAL_SECONDS } from '@pts/core/tracking/schedule';
import { isSubStatus, type Status, type SubStatus, watchOf } from '@pts/core/tracking/status';
import {
  type CandidateCarrier,
  currentOf,
  restartRound,
  startRound,
  type Undecided,
} from '@pts/core/tracking/undecided';
import { CLAIMED_AT, DUE_AT, isMonitored, SLOT_JOIN, WITH_SLOT_MS } from '../checks/schedule.ts';
import { column, columns, columnsOf, type Db, hotRows, type RowOf, rows, rowsByIndex, type Tx } from '../connection.ts';
import { isDuplicate } from '../errors.ts';
import { type Check, Prisma, type ProviderPause, type Tracking } from '../generated/client.ts';
import { pageGeneration } from '../pages.ts';
import { findSubscription, type SubscriptionRecord } from '../subscriptions.ts';
import { INPUT_COLUMNS, INPUT_NAMES, type InputChange, type TrackingInputs, toWire } from './inputs.ts';

/** The last answer with something new, as a tracking stores it: times in ISO 8601. */
export type LastAnswer = {
  kind: CarrierAnswer['kind'];
  failure?: Failure;
  at: string;
  /** When it was requested, or received in a callback; missing if that is not known. */
  requestedAt?: string;
  latencyMs: number | null;
  /** How many scans it had. */
  scans: number;
  /** How many further scans it listed without a time. */
  untimed?: number;
};

const RECORD = columns({
  ...columnsOf<Tracking>('t')('id', 'trackingNumber', 'carrier', 'detected', 'provider'),
  /** Null once its carrier is known; a carrier that the merchant has named counts. */
  candidates: column<Undecided | null>('CASE WHEN t.detected THEN t.candidates END'),
  status: column<Status>('t.status'),
  subStatus: column<SubStatus>('t.sub_status'),
  events: column<Scan[]>('t.events'),
  annotations: column<Annotations | null>('t.annotations'),
  notice: column<Tracking['notice']>('t.notice'),
  ...INPUT_COLUMNS,
  ...columnsOf<Tracking>('t')('createdAt', 'updatedAt'),
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
  isMonitored: column<boolean>(isMonitored('o')),
  pageGeneration: pageGeneration('o'),
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
async function findTrackingIn(tx: Tx, accountId: string, id: string): Promise<TrackingRecord | null> {
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
 * Hand-written: four tables in one read, for the most frequent query. The offset makes PostgreSQL look each check up by
 * its key: joined by their accounts, it might read all checks of a large one. What is the same for the whole account,
 * the owner, is looked up once.
 */
function recordsWhere(accountId: string, condition: Prisma.Sql): (list: Prisma.Sql) => Prisma.Sql {
  return (list) => Prisma.sql`
      SELECT ${list} FROM (SELECT ${accountId}::text AS account_id) o
      JOIN public.trackings t ON t.account_id = o.account_id
      LEFT JOIN LATERAL (
        SELECT c.provider, c.final_look, c.pushed, ${CHECK_TIMES} FROM public.checks c ${SLOT_JOIN}
        WHERE c.tracking_id = t.id AND c.account_id = t.account_id OFFSET 0) c ON true
      LEFT JOIN public.provider_pauses p ON p.provider = c.provider
      WHERE ${condition} ORDER BY t.created_at, t.id`;
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
function storeAgain(subStatus: string): { fingerprint?: null } {
  return isSubStatus(subStatus) && watchOf(subStatus) === 'once-more' ? { fingerprint: null } : {};
}

/** The fields that a tracking's carrier needs besides the number, as stored in its check; null for none. */
function hintsOf({
  phone,
  postalCode,
  destinationCountry,
}: Pick<Tracking, 'phone' | 'postalCode' | 'destinationCountry'>): Record<string, string> | null {
  const given = Object.entries({ phone, postalCode, destinationCountry }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  return given.length === 0 ? null : Object.fromEntries(given);
}

/** How long a removed tracking can be restored. */
const RESTORABLE_MS = 24 * 3_600_000;

/**
 * Removes a tracking and its check; pending deliveries stay. Both rows are kept until they can no longer be restored.
 * Hand-written: the rows move in one statement.
 * @param bulkActionId the bulk action that removes it, if one does.
 * @returns whether there was one.
 */
export async function deleteTracking(
  db: Db,
  {
    accountId,
    id,
    now,
    bulkActionId = null,
  }: { accountId: string; id: string; now: Date; bulkActionId?: string | null },
): Promise<boolean> {
  const count = await db.$executeRaw`
    WITH removed AS (DELETE FROM public.trackings WHERE id = ${id} AND account_id = ${accountId} RETURNING *)
    INSERT INTO public.removed_trackings (id, account_id, removed_at, bulk_action_id, tracking, "check")
    SELECT id, account_id, ${now.toISOString()}::timestamptz, ${bulkActionId}, to_jsonb(removed),
      (SELECT to_jsonb(c) FROM public.checks c WHERE c.tracking_id = removed.id AND c.account_id = removed.account_id)
    FROM removed`;
  return count > 0;
}

/** Which removed trackings to restore: these, or up to `limit` of those that a bulk action removed. */
export type Restorable = { ids: readonly string[] } | { bulkActionId: string; limit: number };

const RESTORED = columns({ id: column<Tracking['id']>('restored.id') });

/**
 * Restores removed trackings with their history and, if they were still polled, their checks: due within an hour, as
 * late as any provider's floor demands. A number that is registered again meanwhile stays removed.
 * @returns the ids of those that were restored.
 */
export async function restoreTrackings(
  db: Db,
  { accountId, now, ...which }: { accountId: string; now: Date } & Restorable,
): Promise<string[]> {
  const since = new Date(now.getTime() - RESTORABLE_MS).toISOString();
  const wanted =
    'ids' in which
      ? Prisma.sql`id = ANY (${[...which.ids]}::text[])`
      : Prisma.sql`bulk_action_id = ${which.bulkActionId}`;
  const limit = 'ids' in which ? which.ids.length : which.limit;
  const restored = await rows(
    db,
    RESTORED,
    (list) => Prisma.sql`
    WITH wanted AS MATERIALIZED (
      SELECT * FROM public.removed_trackings r
      WHERE r.account_id = ${accountId} AND ${wanted} AND removed_at > ${since}::timestamptz
        AND NOT EXISTS (SELECT FROM public.trackings t WHERE t.account_id = ${accountId}
          AND t.tracking_number = r.tracking ->> 'tracking_number' AND t.carrier = r.tracking ->> 'carrier')
      ORDER BY id LIMIT ${limit}::int FOR UPDATE
    ), restored AS (
      INSERT INTO public.trackings
      SELECT (jsonb_populate_record(NULL::public.trackings, tracking)).* FROM wanted
      ON CONFLICT DO NOTHING
      RETURNING *
    ), searched AS (
      INSERT INTO public.tracking_search (account_id, tracking_id, carrier, text, order_id, metadata)
      SELECT account_id, id, carrier, public.search_text(tracking_number, order_id, title), order_id, metadata FROM restored
    ), checked AS (
      INSERT INTO public.checks
      SELECT (jsonb_populate_record(NULL::public.checks, "check" || jsonb_build_object('ring', NULL, 'slot', NULL,
        'next_check_at', LEAST(("check" ->> 'next_check_at')::timestamptz, removed_at + interval '1 hour')))).*
      FROM wanted JOIN restored USING (id) WHERE "check" IS NOT NULL
    ), done AS (DELETE FROM public.removed_trackings r USING restored WHERE r.id = restored.id AND r.account_id = ${accountId})
    SELECT ${list} FROM restored`,
  );
  return restored.map(({ id }) => id);
}

/** Which of these removed trackings can be restored once their number is registered no longer. */
export async function findRestorable(
  db: Db,
  { accountId, ids, now }: { accountId: string; ids: readonly string[]; now: Date },
): Promise<string[]> {
  const removedAt = { gt: new Date(now.getTime() - RESTORABLE_MS) };
  const found = await db.removedTracking.findMany({
    where: { accountId, id: { in: [...ids] }, removedAt },
    select: { id: true },
  });
  return found.map(({ id }) => id);
}

/** Forgets up to `batch` removed trackings that can no longer be restored. @returns how many. */
export async function forgetRemoved(db: Db, { now, batch }: { now: Date; batch: number }): Promise<number> {
  const before = new Date(now.getTime() - RESTORABLE_MS).toISOString();
  return db.$executeRaw`
    DELETE FROM public.removed_trackings WHERE id = ANY (ARRAY(
      SELECT id FROM public.removed_trackings WHERE removed_at <= ${before}::timestamptz
      LIMIT ${batch} FOR UPDATE SKIP LOCKED))`;
}

/** Which account has a tracking. */
type Located = { id: string; accountId: string };

/** The trackings with an id or a normalised number, of whichever account, oldest first. */
export async function locateTrackings(
  db: Db,
  { id, number, limit }: { id: string; number: string | null; limit: number },
): Promise<Located[]> {
  return db.tracking.findMany({
    where: { OR: [{ id }, ...(number === null ? [] : [{ trackingNumber: number }])] },
    select: { id: true, accountId: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    take: limit,
  });
}

/** A tracking and everything that determines its next check. */
export type Explained = TrackingRecord & {
  lastAnswer: LastAnswer | null;
  retrackedAt: Date | null;
  /** When the merchant stopped its polling. */
  stoppedAt: Date | null;
  /** Whether its next check is still to be moved into the interval that an enabled webhook brings. */
  isToBeMoved: boolean;
  /** Null: polling has stopped. */
  check: Pick<
    Check,
    'fingerprint' | 'nextCheckAt' | 'claimedAt' | 'finalLook' | 'expiresAt' | 'failure' | 'failingSince'
  > | null;
  /** Its provider's outage. */
  pause: Pick<ProviderPause, 'pausedUntil' | 'failure'> | null;
  /** The subscription to its provider's callbacks. */
  subscription: SubscriptionRecord | null;
};

/** Reads a tracking for its explanation; null if the account has none with this id. */
export async function explainTracking(db: Db, accountId: string, id: string): Promise<Explained | null> {
  const record = await findTracking(db, accountId, id);
  if (!record) return null;
  const [account, row, check, pause, subscription] = await Promise.all([
    db.account.findUnique({ where: { id: accountId }, select: { monitorAfter: true } }),
    db.tracking.findFirst({
      where: { id, accountId },
      select: { lastAnswer: true, retrackedAt: true, stoppedAt: true },
    }),
    db.check.findUnique({ where: { trackingId: id, accountId } }),
    db.providerPause.findUnique({ where: { provider: record.provider } }),
    findSubscription(db, record),
  ]);
  return {
    ...record,
    lastAnswer: (row?.lastAnswer ?? null) as LastAnswer | null,
    retrackedAt: row?.retrackedAt ?? null,
    stoppedAt: row?.stoppedAt ?? null,
    isToBeMoved: typeof account?.monitorAfter === 'string' && account.monitorAfter < id,
    // A check that waits for its slot is due with it.
    check: check && { ...check, ...dueOf(record, check) },
    pause,
    subscription,
  };
}

function dueOf({ nextCheckAt, lastCheckedAt }: TrackingRecord, check: { nextCheckAt: Date; claimedAt: Date | null }) {
  const isWaiting = check.nextCheckAt.getTime() === WITH_SLOT_MS;
  return isWaiting ? { nextCheckAt: nextCheckAt ?? check.nextCheckAt, claimedAt: lastCheckedAt } : {};
}

/** The changes that a merchant can make to a tracking; null clears a field. */
export type TrackingChange = InputChange & {
  /**
   * The metadata in place of those that the tracking has once no other change is under way. It may throw, and nothing
   * is changed.
   */
  metadataFrom?: ((before: Metadata | null) => Metadata) | undefined;
  /** The new carrier and its provider. */
  move?: Move | undefined;
};

/** A carrier for a tracking, or candidates of which one may turn out to be the carrier. */
export type Move = {
  carrier: string;
  /** The provider that is queried first. */
  provider: string;
  detected: boolean;
  floorSeconds: number;
  /** If the carrier is not known: its candidates, in the order of their checks. */
  candidates?: readonly CandidateCarrier[] | undefined;
};

type UpdateResult =
  | { kind: 'updated'; tracking: TrackingRecord; isDue: boolean }
  /** The id of another tracking of the number with that carrier. */
  | { kind: 'taken'; id: string }
  | { kind: 'not_registered' };

type Metadata = NonNullable<TrackingRecord['metadata']>;

type Update = {
  accountId: string;
  id: string;
  change: TrackingChange;
  /** How long a provider is not queried again for the same number; none by default. */
  floorSecondsOf?: (provider: string) => number;
  now: Date;
};

/**
 * Changes a tracking. With another carrier, the history of the former one is dropped (`seq` continues), and the
 * parcel is polled like a new one. Other fields that the carrier needs reach its check, if it is polled. Either makes
 * the check due at once, but no sooner after the last query of that provider than its floor allows; an arrived parcel
 * keeps its final check. Nothing is charged.
 * @returns `isDue`: its provider is to be woken.
 */
export async function updateTracking(db: Db, update: Update): Promise<UpdateResult> {
  const { accountId, id, change, now } = update;
  try {
    return await db.$transaction(async (tx) => {
      // The lock keeps answers out: a later one finds the new carrier and is dropped.
      await tx.$queryRaw`SELECT 1 FROM public.trackings WHERE id = ${id} AND account_id = ${accountId} FOR UPDATE`;
      const before = await tx.tracking.findFirst({ where: { id, accountId } });
      if (!before) return { kind: 'not_registered' };
      const { move } = change;
      const after = await tx.tracking.update({ where: { id, accountId }, data: fieldsOf(change, before) });
      const moved = move !== undefined && isOther(move, before);
      if (moved) await moveTracking(tx, after, move, now);
      const isDue = moved || (await giveHints(tx, before, after, update));
      const tracking = await findTrackingIn(tx, accountId, id);
      return tracking ? { kind: 'updated', tracking, isDue } : { kind: 'not_registered' };
    });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const other = await findOther(db, accountId, id, change.move?.carrier ?? '');
    // Deleted since: the change can go ahead.
    return other === null ? updateTracking(db, update) : { kind: 'taken', id: other };
  }
}

function fieldsOf(
  { move, metadataFrom, metadata: given, ...fields }: TrackingChange,
  before: Tracking,
): Prisma.TrackingUpdateInput {
  const metadata = metadataFrom ? metadataFrom(before.metadata as Metadata | null) : given;
  return {
    ...fields,
    ...(metadata === undefined ? {} : { metadata: metadata ?? Prisma.DbNull }),
    ...(move === undefined ? {} : { detected: move.detected }),
  };
}

/**
 * Whether a move changes the queried carriers. Candidates are checked again even if the likeliest is already the
 * carrier.
 */
function isOther({ carrier, candidates }: Move, before: Tracking): boolean {
  return carrier !== before.carrier || candidates !== undefined || isUndecided(before);
}

/**
 * Has the carrier queried with other fields. A number that the provider refused to watch is offered to it again: it may
 * have lacked them. @returns whether they differ, and the parcel is polled.
 */
async function giveHints(tx: Tx, before: Tracking, after: Tracking, update: Update): Promise<boolean> {
  const hints = hintsOf(after);
  if (isDeepStrictEqual(hints, hintsOf(before))) return false;
  const requestedAt = (await askedOf(tx, after))[after.provider];
  const floorSeconds = update.floorSecondsOf?.(after.provider) ?? 0;
  await tx.subscription.updateMany({
    where: { trackingNumber: after.trackingNumber, provider: after.provider, state: 'refused' },
    data: { state: 'wanted', failures: 0, retryAt: update.now, updatedAt: update.now },
  });
  const { count } = await tx.check.updateMany({
    where: { trackingId: after.id, accountId: after.accountId },
    data: {
      hints: hints ?? Prisma.DbNull,
      nextCheckAt: nextCheckAt(requestedAt, floorSeconds, update.now),
      finalLook: false,
      ...storeAgain(after.subStatus),
    },
  });
  return count > 0;
}

/** The new carrier, without the former one's history, and a check that is due as soon as the floor allows. */
export async function moveTracking(
  tx: Tx,
  before: Tracking,
  { carrier, provider, floorSeconds, candidates }: Move,
  now: Date,
): Promise<void> {
  const { id, accountId, trackingNumber } = before;
  const askedBefore = await askedOf(tx, before);
  const requestedAt = askedBefore[provider];
  await tx.tracking.update({
    where: { id, accountId },
    data: {
      carrier,
      provider,
      askedBefore,
      candidates: candidates ? startRound(candidates, now, askedBefore) : Prisma.DbNull,
      status: '查询中',
      subStatus: 'pending',
      events: [],
      notice: null,
      latestEvent: Prisma.DbNull,
      annotations: Prisma.DbNull,
      lastAnswer: Prisma.DbNull,
      answeredAt: null,
      stoppedAt: null,
      updatedAt: now,
    },
  });
  const check = {
    carrier: candidates?.[0]?.carrier ?? carrier,
    provider,
    isUndecided: candidates !== undefined,
    fingerprint: null,
    finalLook: false,
    claimedAt: requestedAt === undefined ? null : new Date(requestedAt),
    expiresAt: expiresAt(now),
    failure: null,
    failingSince: null,
    // The other carrier's callbacks are subscribed to once it has answered.
    pushed: null,
    nextCheckAt: nextCheckAt(requestedAt, floorSeconds, now),
  };
  const hints = hintsOf(before) ?? Prisma.DbNull;
  await tx.check.upsert({
    where: { trackingId: id },
    create: { trackingId: id, accountId, trackingNumber, hints, ...check },
    update: { hints, ...check },
  });
}

const OTHER_ID = columns({ id: column<Tracking['id']>('o.id') });

async function findOther(db: Db, accountId: string, id: string, carrier: string): Promise<string | null> {
  const [row] = await rows(
    db,
    OTHER_ID,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.trackings t
      JOIN public.trackings o ON o.account_id = t.account_id AND o.tracking_number = t.tracking_number AND o.carrier = ${carrier}
      WHERE t.id = ${id} AND t.account_id = ${accountId} AND o.id <> t.id`,
  );
  return row?.id ?? null;
}

type InputUpdate = { id: string; inputs: TrackingInputs };

const UPDATED = columns({ id: column<Tracking['id']>('id') });
const CREATED = columns({ id: column<Tracking['id']>('t.id') });

const COLUMN_NAMES = INPUT_NAMES.map((name) => toSnakeCase(name));
const GIVEN = Prisma.raw(COLUMN_NAMES.map((name) => `${name} = COALESCE(i.${name}, t.${name})`).join(', '));
const DIFFERS = Prisma.raw(
  COLUMN_NAMES.map((name) => `(i.${name} IS NOT NULL AND i.${name} IS DISTINCT FROM t.${name})`).join(' OR '),
);

/** The fields that a carrier needs besides the number, as a check has them, of a tracking named `u`. */
export const HINTS = Prisma.raw(`NULLIF(jsonb_strip_nulls(jsonb_build_object(
  'phone', u.phone, 'postalCode', u.postal_code, 'destinationCountry', u.destination_country)), '{}'::jsonb)`);

/**
 * Gives trackings of an account other inputs; those that are absent stay as they are. The fields that a carrier needs
 * reach its next check; if they differ, a number that the provider refused to watch is offered to it again.
 * @returns the ids of those that have changed.
 */
export async function updateInputs(
  db: Db,
  accountId: string,
  updates: readonly InputUpdate[],
  now: Date,
): Promise<Set<string>> {
  if (updates.length === 0) return new Set();
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const given = JSON.stringify(updates.map(({ id, inputs }) => ({ id, ...toWire(inputs) })));
  const updated = await rowsByIndex(
    db,
    UPDATED,
    (list) => Prisma.sql`
      WITH input AS (
        SELECT * FROM jsonb_populate_recordset(NULL::public.trackings, ${given}::jsonb)
      ), locked AS (
        SELECT id, account_id FROM public.trackings WHERE id = ANY (ARRAY(SELECT id FROM input)) AND account_id = ${accountId}
        ORDER BY id FOR NO KEY UPDATE -- one lock order for all writers
      ), updated AS (
        UPDATE public.trackings t SET ${GIVEN} FROM locked l JOIN input i ON i.id = l.id
        WHERE t.id = l.id AND t.account_id = l.account_id AND (${DIFFERS})
        RETURNING t.id, t.account_id, t.phone, t.postal_code, t.destination_country
      ), hinted AS (
        UPDATE public.checks c SET hints = ${HINTS}
        FROM updated u WHERE c.tracking_id = u.id AND c.account_id = u.account_id
        RETURNING c.tracking_id, c.account_id, c.tracking_number, c.provider, c.hints
      ), wanted AS (
        UPDATE public.subscriptions s SET state = 'wanted', failures = 0, retry_at = ${at}, updated_at = ${at}
        FROM hinted h JOIN public.checks c ON c.tracking_id = h.tracking_id AND c.account_id = h.account_id
        WHERE s.tracking_number = h.tracking_number AND s.provider = h.provider AND s.state = 'refused'
          AND c.hints IS DISTINCT FROM h.hints -- the statement sees the check as it was before
      )
      SELECT ${list} FROM updated`,
  );
  return new Set(updated.map(({ id }) => id));
}

export type Span = { since: Date; until: Date };

/** Which of these trackings of an account were registered within a time. */
export async function registeredWithin(
  db: Db,
  accountId: string,
  ids: readonly string[],
  { since, until }: Span,
): Promise<Set<string>> {
  const found = await rowsByIndex(
    db,
    CREATED,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.trackings t
      WHERE t.id = ANY (${[...ids]}::text[]) AND t.account_id = ${accountId}
        AND t.created_at >= ${since.toISOString()}::timestamptz AND t.created_at <= ${until.toISOString()}::timestamptz`,
  );
  return new Set(found.map(({ id }) => id));
}

/**
 * The outcome of a stop. `stoppedAt` of a tracking that is not polled anyway: when it was stopped; null if it ended by
 * itself.
 */
type StopResult = { kind: 'stopped' } | { kind: 'not_polled'; stoppedAt: Date | null } | { kind: 'not_registered' };

/** Ends the polling of a tracking; its state, its history and the time of its last check stay. */
export async function stopTracking(
  db: Db,
  { accountId, id, now }: { accountId: string; id: string; now: Date },
): Promise<StopResult> {
  return db.$transaction(async (tx) => {
    // The lock keeps answers out, which write the check.
    await tx.$queryRaw`SELECT 1 FROM public.trackings WHERE id = ${id} AND account_id = ${accountId} FOR UPDATE`;
    const found = await tx.tracking.findFirst({ where: { id, accountId }, select: { ...ASKED, stoppedAt: true } });
    if (!found) return { kind: 'not_registered' };
    const askedBefore = await askedOf(tx, found);
    const { count } = await tx.check.deleteMany({ where: { trackingId: id, accountId } });
    if (count === 0) return { kind: 'not_polled', stoppedAt: found.stoppedAt };
    await tx.tracking.update({ where: { id, accountId }, data: { stoppedAt: now, askedBefore } });
    return { kind: 'stopped' };
  });
}

/** The columns of a tracking that `askedOf` reads. */
const ASKED = {
  id: true,
  accountId: true,
  provider: true,
  askedBefore: true,
  answeredAt: true,
  candidates: true,
} as const;

const CHECKED = columns({ claimedAt: column<Date | null>(CLAIMED_AT) });

/**
 * When each provider was last queried for the number: neither moving a tracking back and forth nor stopping it
 * undercuts a floor.
 */
async function askedOf(
  tx: Tx,
  { id, accountId, provider, askedBefore, answeredAt, candidates }: Pick<Tracking, keyof typeof ASKED>,
): Promise<Record<string, string>> {
  const [check] = await rows(
    tx,
    CHECKED,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.checks c ${SLOT_JOIN} WHERE c.tracking_id = ${id} AND c.account_id = ${accountId}`,
  );
  const asked = (candidates as Undecided | null)?.asked;
  const before = { ...((askedBefore ?? {}) as Record<string, string>), ...asked };
  // A callback is stored like an answer, but is not a query.
  const last = check?.claimedAt ?? answeredAt;
  const times = [last?.getTime(), Date.parse(before[provider] ?? '')].flatMap((ms) => (ms ? [ms] : []));
  return times.length === 0 ? before : { ...before, [provider]: new Date(Math.max(...times)).toISOString() };
}

/** Now, but not before the floor of a provider that was queried earlier. */
function nextCheckAt(requestedAt: string | undefined, floorSeconds: number, now: Date): Date {
  const requestedMs = requestedAt === undefined ? 0 : Date.parse(requestedAt);
  return new Date(Math.max(now.getTime(), requestedMs + floorSeconds * 1000));
}

/** Whether its carrier is not known yet. Naming the carrier ends it. */
export function isUndecided({ candidates, detected }: { candidates: unknown; detected: boolean }): boolean {
  return candidates !== null && detected;
}
