import { toSnakeCase } from '@pts/core/snake-case';
import { monthOf } from '@pts/core/time';
import { expiresAt } from '@pts/core/tracking/schedule';
import type { Status } from '@pts/core/tracking/status';
import { quotaUsed } from '../accounts/accounts.ts';
import { type Db, violates } from '../connection/client.ts';
import { freshId } from '../connection/ids.ts';
import { column, columns, hotRows, type RowOf } from '../connection/rows.ts';
import { Prisma, type Tracking } from '../generated/client.ts';
import { INPUT_NAMES, type TrackingInputs, toWire } from './inputs.ts';

/** One number to register; its carrier is known and a provider serves it. */
export type Registration = {
  trackingNumber: string;
  carrier: string;
  provider: string;
  /** Whether the carrier was detected by us. */
  detected: boolean;
} & TrackingInputs;

const CREATED = columns({
  id: column<Tracking['id']>('id'),
  trackingNumber: column<Tracking['trackingNumber']>('tracking_number'),
  carrier: column<Tracking['carrier']>('carrier'),
  provider: column<Tracking['provider']>('provider'),
  status: column<Status>('status'),
  detected: column<Tracking['detected']>('detected'),
});

type Row = RowOf<typeof CREATED>;

/** `created` false: it was registered before, and nothing was charged. */
export type Registered = Row & { created: boolean };

export type RegisterResult = { kind: 'registered'; trackings: Registered[] } | { kind: 'quota_exhausted' };

/**
 * Registers numbers for an account: charges a unit for each that is new, stores it with its first check due now. One
 * statement decides everything, so no interleaving can charge twice, charge beyond the limit, or store without charge.
 * All or nothing: with too little quota left for all that are new, nothing is stored.
 * @param quotaLimit units per month.
 * @returns one entry for each registration, in their order.
 */
export async function registerTrackings(
  db: Db,
  input: { accountId: string; quotaLimit: number; registrations: readonly Registration[]; now: Date },
): Promise<RegisterResult> {
  try {
    const created = await insertCharged(db, input);
    const existing = created.length === input.registrations.length ? [] : await findRegistered(db, input);
    const byKey = new Map([...existing, ...created].map((row) => [keyOf(row), row]));
    const fresh = new Set(created.map((row) => row.id));
    const trackings = input.registrations.flatMap((registration) => {
      const row = byKey.get(keyOf(registration));
      return row ? [{ ...row, created: fresh.delete(row.id) }] : [];
    });
    return { kind: 'registered', trackings };
  } catch (error) {
    if (violates(error, 'quota_usage_within_limit')) return { kind: 'quota_exhausted' };
    throw error;
  }
}

/** The result that a registration would have. */
export type Previewed = {
  /** Of the tracking that there is already. */
  id: string | null;
  status: Status;
  /** Whether it would be charged: it is new, and the first of its kind in the call. */
  charged: boolean;
  registration: Registration;
};

export type PreviewResult = { kind: 'preview'; trackings: Previewed[] } | { kind: 'quota_exhausted' };

/**
 * What `registerTrackings` would do now with the same input; nothing is stored or charged.
 * @returns one entry for each registration, in their order.
 */
export async function previewTrackings(db: Db, input: Parameters<typeof registerTrackings>[1]): Promise<PreviewResult> {
  const { accountId, quotaLimit, registrations, now } = input;
  const existing = new Map((await findRegistered(db, input)).map((row) => [keyOf(row), row]));
  const fresh = new Set(registrations.map(keyOf).filter((key) => !existing.has(key)));
  if (fresh.size > 0 && (await quotaUsed(db, accountId, now)) + fresh.size > quotaLimit)
    return { kind: 'quota_exhausted' };
  return {
    kind: 'preview',
    trackings: registrations.map((registration) => {
      const key = keyOf(registration);
      const known = existing.get(key);
      return { id: known?.id ?? null, status: known?.status ?? '查询中', charged: fresh.delete(key), registration };
    }),
  };
}

function keyOf(row: { trackingNumber: string; carrier: string }): string {
  return `${row.trackingNumber} ${row.carrier}`;
}

/** The columns of the inputs. */
const INPUTS = Prisma.raw(INPUT_NAMES.map((name) => toSnakeCase(name)).join(', '));

function columnsOf({ trackingNumber, carrier, provider, detected, ...inputs }: Registration): object {
  return { tracking_number: trackingNumber, carrier, provider, detected, ...toWire(inputs) };
}

/** Hand-written: three tables and the quota's check constraint in one statement, for any number of registrations. */
async function insertCharged(
  db: Db,
  { accountId, quotaLimit, registrations, now }: Parameters<typeof registerTrackings>[1],
): Promise<Row[]> {
  const input = JSON.stringify(registrations.map((registration) => ({ id: freshId(now), ...columnsOf(registration) })));
  const at = now.toISOString();
  const month = monthOf(now).toISOString().slice(0, 10);
  return hotRows(
    db,
    CREATED,
    (list) => Prisma.sql`
    WITH input AS (
      SELECT * FROM jsonb_populate_recordset(NULL::public.trackings, ${input}::jsonb)
    ), created AS (
      INSERT INTO public.trackings (id, account_id, tracking_number, carrier, provider, detected, status, sub_status,
        created_at, updated_at, ${INPUTS})
      SELECT id, ${accountId}, tracking_number, carrier, provider, detected, '查询中', 'pending',
        ${at}::timestamptz, ${at}::timestamptz, ${INPUTS}
      FROM input ORDER BY tracking_number, carrier -- one lock order for all callers
      ON CONFLICT (account_id, tracking_number, carrier) DO NOTHING
      RETURNING id, tracking_number, carrier, provider, status, detected, phone, postal_code, destination_country
    ), charged AS (
      INSERT INTO public.quota_usage (account_id, month, used, quota_limit)
      SELECT ${accountId}, ${month}::date, count(*)::int, ${quotaLimit}::int FROM created HAVING count(*) > 0
      ON CONFLICT (account_id, month)
      DO UPDATE SET used = quota_usage.used + excluded.used, quota_limit = excluded.quota_limit
    ), watched AS (
      INSERT INTO public.checks (tracking_id, account_id, provider, carrier, tracking_number, hints, next_check_at, expires_at)
      SELECT id, ${accountId}, provider, carrier, tracking_number,
        NULLIF(jsonb_strip_nulls(jsonb_build_object(
          'phone', phone, 'postalCode', postal_code, 'destinationCountry', destination_country)), '{}'::jsonb),
        ${at}::timestamptz, ${expiresAt(now).toISOString()}::timestamptz
      FROM created
    )
    SELECT ${list} FROM created`,
  );
}

/** A second statement, because the first one's snapshot may not see a row that another request has just committed. */
async function findRegistered(
  db: Db,
  { accountId, registrations }: { accountId: string; registrations: readonly Registration[] },
): Promise<Row[]> {
  const found = await db.tracking.findMany({
    where: {
      accountId,
      OR: registrations.map(({ trackingNumber, carrier }) => ({ trackingNumber, carrier })),
    },
    select: { id: true, trackingNumber: true, carrier: true, provider: true, status: true, detected: true },
  });
  return found.map((row) => ({ ...row, status: row.status as Status }));
}
