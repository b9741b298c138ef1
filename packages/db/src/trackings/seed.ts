import type { Annotations } from '@pts/core/tracking/change';
import { RING, type Ring, SLOTS } from '@pts/core/tracking/ring';
import { type Scan, toTrackingEvent } from '@pts/core/tracking/scan';
import { expiresAt } from '@pts/core/tracking/schedule';
import type { Status, SubStatus } from '@pts/core/tracking/status';
import { DUE_AT, SLOT_JOIN, tickAt, WITH_SLOT } from '../checks/schedule.ts';
import { column, columns, type Db, type RowOf, rows } from '../connection.ts';
import { Prisma } from '../generated/client.ts';
import { DEADLINES } from '../pool.ts';
import type { LastAnswer } from './records.ts';

/** Parcels that have the same history. */
export type SeedLot = {
  /** The start of their numbers; nine digits follow. */
  prefix: string;
  scans: readonly Scan[];
  status: Status;
  subStatus: SubStatus;
  annotations?: Annotations;
  /** Digest of the answer that they had last. */
  fingerprint: string;
  lastAnswer: LastAnswer;
  /** Events emitted so far. */
  seq: number;
  registeredAt: Date;
};

/** Parcels whose checks look as if they had been made for a while. */
export type Seeding = {
  accountId: string;
  provider: string;
  /** How many there are. */
  total: number;
  /** They are spread over the interval that begins at `dueFrom`. */
  intervalSeconds: number;
  dueFrom: Date;
  /** Each has a time of its own; otherwise they are in slots. */
  apart?: boolean;
  carrier: string;
  /**
   * The parcel `n` of all is in the lot `floor(n × lots / total)`: lots in the order of their registration make ids
   * ascend.
   */
  lots: readonly SeedLot[];
};

/** Parcels per statement. */
const CHUNK = 10_000;
const AT_ONCE = 2;

/**
 * Stores parcels in bulk as if they had been tracked for a while: with their history, and with checks that are spread
 * over the interval. Nothing is charged and no message is stored.
 * @param onProgress called with the number of parcels stored so far.
 * @throws if one of the numbers is registered already.
 */
export async function seedTrackings(db: Db, seeding: Seeding, onProgress: (stored: number) => void): Promise<void> {
  const ring = await makeSlots(db, seeding);
  let [next, stored] = [0, 0];
  const lane = async () => {
    while (next < seeding.total) {
      const from = next;
      next = Math.min(seeding.total, from + CHUNK);
      const until = next;
      await insert(db.$within(DEADLINES.bulk), { ...seeding, ring }, from, until);
      stored += until - from;
      onProgress(stored);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  await db.$within(DEADLINES.migration).$executeRaw`ANALYZE public.trackings, public.checks`;
}

async function insert(db: Db, seeding: Seeding & { ring: Ring }, from: number, until: number): Promise<void> {
  const { accountId, carrier, provider, lots, total } = seeding;
  const lotOf = (index: number) => Math.floor((index * lots.length) / total);
  const lotRows = lots
    .slice(lotOf(from), lotOf(until - 1) + 1)
    .map((lot, n) => ({ lot: lotOf(from) + n, ...columnsOf(lot) }));
  const schedule = scheduleColumns(Prisma.sql`p.share`, seeding.ring, seeding);
  await db.$executeRaw`
    WITH lots AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(lotRows)}::jsonb) AS l(
        lot bigint, prefix text, id_start text, status text, sub_status text, events jsonb, latest_event jsonb,
        annotations jsonb, last_answer jsonb, fingerprint text, seq int, created_at timestamptz, updated_at timestamptz,
        expires_at timestamptz)
    ), parcels AS MATERIALIZED (
      SELECT n, n * ${lots.length}::bigint / ${total}::bigint AS lot, random() AS share,
        substr(md5(random()::text || n), 1, 16) AS id_end
      FROM generate_series(${from}::bigint, ${until - 1}::bigint) n,
        (SELECT FROM public.accounts WHERE id = ${accountId} FOR KEY SHARE) a -- its deletion waits for its parcels
    ), created AS (
      INSERT INTO public.trackings (id, account_id, tracking_number, carrier, detected, provider, status, sub_status, events,
        latest_event, annotations, last_answer, seq, created_at, updated_at, answered_at)
      SELECT l.id_start || p.id_end, ${accountId}, l.prefix || lpad(p.n::text, 9, '0'), ${carrier}, true, ${provider},
        l.status, l.sub_status, l.events, l.latest_event, l.annotations, l.last_answer, l.seq, l.created_at, l.updated_at,
        l.updated_at
      FROM parcels p JOIN lots l USING (lot) ORDER BY p.n
      RETURNING id, tracking_number
    ), searched AS (
      INSERT INTO public.tracking_search (account_id, tracking_id, carrier, text)
      SELECT ${accountId}, id, ${carrier}, public.search_text(tracking_number, NULL, NULL) FROM created
    )
    INSERT INTO public.checks (tracking_id, account_id, provider, carrier, tracking_number, fingerprint, expires_at,
      ${schedule.columns})
    SELECT l.id_start || p.id_end, ${accountId}, ${provider}, ${carrier}, l.prefix || lpad(p.n::text, 9, '0'), l.fingerprint,
      l.expires_at, ${schedule.values}
    FROM parcels p JOIN lots l USING (lot) ORDER BY p.n`;
}

function columnsOf(lot: SeedLot) {
  const { scans, registeredAt, subStatus, lastAnswer, annotations, ...same } = lot;
  const latest = scans.at(-1);
  const updatedAt = latest === undefined ? registeredAt : new Date(latest.time);
  return {
    ...same,
    id_start: Math.floor(registeredAt.getTime() / 1000)
      .toString(16)
      .padStart(8, '0'),
    sub_status: subStatus,
    events: scans,
    latest_event: latest === undefined ? null : toTrackingEvent(latest),
    annotations: annotations ?? null,
    last_answer: lastAnswer,
    created_at: registeredAt,
    updated_at: updatedAt,
    expires_at: expiresAt(updatedAt),
  };
}

/** Makes the slots that such checks are in, if they are. @returns the ring of the account's checks. */
async function makeSlots(
  db: Db,
  { accountId, provider, total, intervalSeconds, dueFrom, apart = false }: Seeding,
): Promise<Ring> {
  const isMonitored = (await db.webhook.count({ where: { accountId, enabled: true } })) > 0;
  const ring = isMonitored ? RING.monitored : RING.idle;
  if (apart) return ring;
  const from = Prisma.sql`${dueFrom.toISOString()}::timestamptz`;
  const due = tickAt(Prisma.sql`n`, from, Prisma.sql`${intervalSeconds}::float8`);
  await db.$executeRaw`
    INSERT INTO public.check_slots (provider, ring, slot, due_at, period_seconds, floor_seconds, size, entered_at)
    SELECT ${provider}, ${ring}::smallint, n::smallint, ${due}, ${intervalSeconds}::float8, 0, ${Math.ceil(total / SLOTS)}::int, ${from}
    FROM generate_series(0, ${SLOTS - 1}::int) n ON CONFLICT (provider, ring, slot) DO NOTHING`;
  return ring;
}

/** The columns of `checks` that schedule one. @param share a random number from 0 to 1, of each row. */
function scheduleColumns(share: Prisma.Sql, ring: Ring, { apart = false, dueFrom, intervalSeconds }: Seeding) {
  if (apart) {
    const due = (place: Prisma.Sql) =>
      Prisma.sql`${dueFrom.toISOString()}::timestamptz + make_interval(secs => ${place} * ${intervalSeconds}::float8)`;
    return {
      columns: Prisma.raw('next_check_at, claimed_at'),
      values: Prisma.sql`${due(share)}, ${due(Prisma.sql`(${share} - 1)`)}`,
    };
  }
  return {
    columns: Prisma.raw('next_check_at, ring, slot'),
    values: Prisma.sql`${WITH_SLOT}, ${ring}::smallint, floor(${share} * ${SLOTS}::float8)::smallint`,
  };
}

const DUE_TIME = columns({
  provider: column<string>('c.provider'),
  trackingNumber: column<string>('c.tracking_number'),
  dueAt: column<Date>(DUE_AT),
});

/** When each check is due. */
export async function readDueTimes(db: Db): Promise<RowOf<typeof DUE_TIME>[]> {
  return rows(db, DUE_TIME, (list) => Prisma.sql`SELECT ${list} FROM public.checks c ${SLOT_JOIN}`);
}
