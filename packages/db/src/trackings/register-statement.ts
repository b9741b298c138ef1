import type { Origin } from '@pts/core/process/origin';
import { toSnakeCase } from '@pts/core/snake-case';
import { monthOf } from '@pts/core/time';
import { expiresAt } from '@pts/core/tracking/schedule';
import type { Status } from '@pts/core/tracking/status';
import { type CandidateCarrier, startRound, type Undecided } from '@pts/core/tracking/undecided';
import { column, columns, type Db, hotRows, type RowOf } from '../connection.ts';
import { violates } from '../errors.ts';
import { Prisma, type Tracking } from '../generated/client.ts';
import { freshId } from '../ids.ts';
import { INPUT_NAMES, type TrackingInputs, toWire } from './inputs.ts';
import { finderOf, isUndecided } from './known.ts';
import { nameCarrier } from './name-carrier.ts';

/** One number to register, with its carrier, or the likeliest of its candidates; a provider serves it. */
export type Registration = {
  trackingNumber: string;
  carrier: string;
  provider: string;
  /** Whether the carrier was detected by us; otherwise the merchant named it. */
  detected: boolean;
  /** If the carrier is not known: its candidates, in the order of their checks. */
  candidates?: readonly CandidateCarrier[] | undefined;
  /** Of the provider, for a number whose carrier was not known before; absent: none. */
  floorSeconds?: number;
  /** The request that registers it; absent: none. */
  origin?: Origin;
} & TrackingInputs;

const CREATED = columns({
  id: column<Tracking['id']>('id'),
  trackingNumber: column<Tracking['trackingNumber']>('tracking_number'),
  carrier: column<Tracking['carrier']>('carrier'),
  provider: column<Tracking['provider']>('provider'),
  status: column<Status>('status'),
  detected: column<Tracking['detected']>('detected'),
  candidates: column<Undecided | null>('candidates'),
});

type Row = RowOf<typeof CREATED>;

/** `created` false: it was registered before, and nothing was charged. `named`: its carrier was named only now. */
export type Registered = Row & { created: boolean; named?: true };

export type RegisterResult = { kind: 'registered'; trackings: Registered[] } | { kind: 'quota_exhausted' };

/** If a tracking is deleted or decided between two statements, the registration is retried. */
const MAX_TRIES = 5;

/**
 * Registers numbers for an account: charges a unit for each new one, stores it with its first check due now. One
 * statement decides everything, so no interleaving can charge twice, charge beyond the limit, or store without charge.
 * All or nothing: if the quota is too small for all new ones, nothing is stored. A number without a named carrier is
 * new if the account does not have it with any carrier; a named carrier decides an undecided tracking of the number.
 * @param quotaLimit units per month.
 * @returns one entry for each registration, in their order.
 * @throws an Error when a number is stored and deleted by others at each of its tries. The other numbers may be registered then.
 */
export async function storeInOneStatement(db: Db, input: RegisterInput): Promise<RegisterResult> {
  const results: (Registered | null)[] = input.registrations.map(() => null);
  try {
    for (let tries = 0; results.includes(null) && tries < MAX_TRIES; tries++) {
      const missing = [...results.keys()].filter((index) => results[index] === null);
      const registrations = missing.flatMap((index) => input.registrations[index] ?? []);
      const found = await tryToStore(db, { ...input, registrations });
      for (const [n, index] of missing.entries()) results[index] = found[n] ?? null;
    }
  } catch (error) {
    if (violates(error, 'quota_usage_within_limit')) return { kind: 'quota_exhausted' };
    throw error;
  }
  const trackings = results.flatMap((row) => row ?? []);
  // Without it, the entries behind it would belong to other numbers.
  if (trackings.length < results.length) throw new Error(`a number was neither stored nor found in ${MAX_TRIES} tries`);
  return { kind: 'registered', trackings };
}

export type RegisterInput = {
  accountId: string;
  quotaLimit: number;
  registrations: readonly Registration[];
  now: Date;
};

/** @returns for each registration its tracking, or null if it must be tried again. */
async function tryToStore(db: Db, input: RegisterInput): Promise<(Registered | null)[]> {
  const created = await insertCharged(db, input);
  const known = created.length === input.registrations.length ? created : await findRegistered(db, input);
  // Of registrations of one number in a call, the first has created it: a row leaves the set with it.
  const fresh = new Set(created.map((row) => row.id));
  const find = finderOf(known);
  const results: (Registered | null)[] = [];
  for (const registration of input.registrations) {
    const row = find(registration);
    if (!row) results.push(null);
    else if (registration.detected || !isUndecided(row)) results.push({ ...row, created: fresh.delete(row.id) });
    else if (await decide(db, input, registration, row)) {
      const { carrier, provider } = registration;
      Object.assign(row, { carrier, provider, detected: false, candidates: null });
      results.push({ ...row, created: false, named: true });
    } else results.push(null);
  }
  return results;
}

/** The merchant names the carrier of a tracking whose carrier is not known yet. */
function decide(db: Db, { accountId, now }: RegisterInput, registration: Registration, { id }: Row): Promise<boolean> {
  const { carrier, provider, floorSeconds = 0 } = registration;
  const move = { carrier, provider, detected: false, floorSeconds };
  return nameCarrier(db, { accountId, id, move, inputs: registration, now });
}

/** The columns of the inputs. */
const INPUTS = Prisma.raw(INPUT_NAMES.map((name) => toSnakeCase(name)).join(', '));

function columnsOf(registration: Registration, now: Date): object {
  const { trackingNumber, carrier, provider, detected, candidates = [], ...inputs } = registration;
  const [first] = candidates;
  const state = first ? { candidates: startRound(candidates, now), provider: first.provider } : { provider };
  return { tracking_number: trackingNumber, carrier, detected, ...state, ...toWire(inputs) };
}

/** A number without a named carrier that the same call also contains with one: both are the same tracking. */
function insertable(registrations: readonly Registration[]): Registration[] {
  const named = new Set(registrations.filter(({ detected }) => !detected).map(({ trackingNumber }) => trackingNumber));
  return registrations.filter(({ detected, trackingNumber }) => !detected || !named.has(trackingNumber));
}

/** Hand-written: five tables and the quota's check constraint in one statement, for any number of registrations. */
async function insertCharged(db: Db, { accountId, quotaLimit, registrations, now }: RegisterInput): Promise<Row[]> {
  const inserted = insertable(registrations).map((registration) => ({ id: freshId(now), registration }));
  const input = JSON.stringify(inserted.map(({ id, registration }) => ({ id, ...columnsOf(registration, now) })));
  const origins = JSON.stringify(Object.fromEntries(inserted.map(({ id, registration: { origin } }) => [id, origin])));
  const at = now.toISOString();
  const month = monthOf(now).toISOString().slice(0, 10);
  return hotRows(
    db,
    CREATED,
    (list) => Prisma.sql`
    WITH input AS (
      SELECT * FROM jsonb_populate_recordset(NULL::public.trackings, ${input}::jsonb)
    ), created AS (
      INSERT INTO public.trackings (id, account_id, tracking_number, carrier, provider, detected, candidates, status,
        sub_status, created_at, updated_at, ${INPUTS})
      SELECT id, ${accountId}, tracking_number, carrier, provider, detected, candidates, '查询中', 'pending',
        ${at}::timestamptz, ${at}::timestamptz, ${INPUTS}
      -- Without a carrier any tracking of the number will do; a named carrier decides an undecided one. As NOT EXISTS, this
      -- becomes a join, for which a plan for accounts of average size may read all trackings of a large one.
      FROM input i WHERE (
        SELECT true FROM public.trackings t WHERE t.account_id = ${accountId} AND t.tracking_number = i.tracking_number
          AND (i.detected OR (t.detected AND t.candidates IS NOT NULL)) LIMIT 1) IS NULL
      ORDER BY tracking_number, carrier -- one lock order for all callers
      ON CONFLICT (account_id, tracking_number, carrier) DO NOTHING
      RETURNING id, tracking_number, carrier, provider, status, detected, candidates, phone, postal_code,
        destination_country, order_id, title
    ), charged AS (
      INSERT INTO public.quota_usage (account_id, month, used, quota_limit)
      SELECT ${accountId}, ${month}::date, count(*)::int, ${quotaLimit}::int FROM created HAVING count(*) > 0
      ON CONFLICT (account_id, month)
      DO UPDATE SET used = quota_usage.used + excluded.used, quota_limit = excluded.quota_limit
    ), counted AS (
      INSERT INTO public.stat_counts AS c (account_id, series, at, figure, bucket, amount)
      SELECT ${accountId}, 'registered', date_bin('1 hour', ${at}::timestamptz, 'epoch'), 'registered', 0, count(*)::int
      FROM created HAVING count(*) > 0
      ON CONFLICT (account_id, series, at, figure, bucket) DO UPDATE SET amount = c.amount + excluded.amount
    ), searched AS (
      INSERT INTO public.tracking_search (account_id, tracking_id, carrier, text)
      SELECT ${accountId}, id, carrier, public.search_text(tracking_number, order_id, title) FROM created
    ), watched AS (
      INSERT INTO public.checks (tracking_id, account_id, provider, carrier, undecided, tracking_number, hints,
        next_check_at, expires_at, request_id, traceparent)
      SELECT id, ${accountId}, provider, COALESCE(candidates #>> '{candidates,0,carrier}', carrier),
        candidates IS NOT NULL, tracking_number,
        NULLIF(jsonb_strip_nulls(jsonb_build_object(
          'phone', phone, 'postalCode', postal_code, 'destinationCountry', destination_country)), '{}'::jsonb),
        ${at}::timestamptz, ${expiresAt(now).toISOString()}::timestamptz,
        ${origins}::jsonb -> id ->> 'requestId', ${origins}::jsonb -> id ->> 'traceparent'
      FROM created
    )
    SELECT ${list} FROM created`,
  );
}

/**
 * The trackings of the numbers, whatever their carriers, oldest first. A second statement, because the first one's snapshot may
 * not see a row that another request has just committed.
 */
export async function findRegistered(
  db: Db,
  { accountId, registrations }: { accountId: string; registrations: readonly Registration[] },
): Promise<Row[]> {
  const found = await db.tracking.findMany({
    where: { accountId, trackingNumber: { in: [...new Set(registrations.map((each) => each.trackingNumber))] } },
    select: {
      id: true,
      trackingNumber: true,
      carrier: true,
      provider: true,
      status: true,
      detected: true,
      candidates: true,
    },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  return found.map((row) => ({
    ...row,
    status: row.status as Status,
    candidates: row.candidates as Undecided | null,
  }));
}
