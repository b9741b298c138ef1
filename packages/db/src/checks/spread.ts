import { RING, type Ring, SLOTS } from '@pts/core/tracking/ring';
import { column, columns, type Db, type RowOf, rows } from '../connection.ts';
import { Prisma } from '../generated/client.ts';
import { DUE_AT, SLOT_JOIN, tickAt, WITH_SLOT } from './schedule.ts';

/** Checks of parcels that look as if they had been polled for a while. */
export type Spread = {
  accountId: string;
  provider: string;
  /** How many there are. */
  total: number;
  /** They are spread over the interval that begins at `dueFrom`. */
  intervalSeconds: number;
  dueFrom: Date;
  /** Each has a time of its own; otherwise they are in slots. */
  apart?: boolean;
};

/** Makes the slots that such checks are in, if they are. @returns the ring of the account's checks. */
export async function makeSlots(
  db: Db,
  { accountId, provider, total, intervalSeconds, dueFrom, apart = false }: Spread,
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
export function scheduleColumns(share: Prisma.Sql, ring: Ring, { apart = false, dueFrom, intervalSeconds }: Spread) {
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
