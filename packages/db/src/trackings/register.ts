import { QUOTA_PERCENTS } from '@pts/core/notices';
import type { Origin } from '@pts/core/process/origin';
import { toSnakeCase } from '@pts/core/snake-case';
import { monthOf } from '@pts/core/time';
import { expiresAt } from '@pts/core/tracking/schedule';
import type { Status } from '@pts/core/tracking/status';
import { type CandidateCarrier, candidateCodes, startRound, type Undecided } from '@pts/core/tracking/undecided';
import { quotaUsed } from '../accounts/accounts.ts';
import { createKeyedBatcher } from '../batcher.ts';
import { column, columns, type Db, type HotTx, hotExecute, hotRows, type RowOf, rows } from '../connection.ts';
import { isDatabaseUnreachable, isDuplicate, violates } from '../errors.ts';
import { Prisma, type Tracking } from '../generated/client.ts';
import { freshId } from '../ids.ts';
import { CONFIRM_MS, DeadlineError, within } from '../pool.ts';
import { INPUT_COLUMNS, INPUT_NAMES, type TrackingInputs, toWire } from './inputs.ts';
import { HINTS, isUndecided, type Move, moveTracking } from './records.ts';

/** Numbers in a statement that several calls share. */
const MAX_ROWS = 400;
/** Statements of an account: one inserts its rows while the other waits for the account's quota, or for its commit. */
const CONCURRENCY = 2;

/** `isGone`: its caller's deadline is over. */
type Call = { db: Db; input: RegisterInput; isGone: boolean };
type Outcome = { result: RegisterResult } | { error: unknown };

const gatherers = new WeakMap<Db['$pool'], (key: string, call: Call) => Promise<Outcome>>();

/**
 * Stores registrations of an account, all or nothing (`storeInOneStatement`).
 *
 * Statements of one account wait for each other anyway, because each updates the account's quota; so while they run,
 * the calls that arrive gather and share the next one. A call alone never waits, and each has its own outcome, as if it
 * had arrived alone.
 * @returns one entry for each registration, in their order.
 * @throws DeadlineError when the caller's deadline is over before its statement has begun or ended.
 */
export async function storeRegistrations(db: Db, input: RegisterInput): Promise<RegisterResult> {
  if (input.registrations.length === 0) return { kind: 'registered', trackings: [] };
  const gather = gatherers.get(db.$pool) ?? createGatherer();
  gatherers.set(db.$pool, gather);
  // A change of the plan takes effect with the next request, so two limits may be in use for a moment.
  const key = `${input.accountId} ${input.quotaLimit}`;
  const call: Call = { db, input, isGone: false };
  // The statement has its own deadline, which ends a little earlier.
  const outcome = await within(db.$statementMs + CONFIRM_MS, gather(key, call), () => {
    call.isGone = true;
    throw new DeadlineError(db.$statementMs);
  });
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}

function createGatherer() {
  const sizeOf = ({ input }: Call) => input.registrations.length;
  return createKeyedBatcher({ max: MAX_ROWS, concurrency: CONCURRENCY, sizeOf }, (_key, calls: Call[]) =>
    storeForCallers(calls),
  );
}

/** Registers for the callers that still wait, within the deadline of the last, who may wait longest. */
async function storeForCallers(calls: readonly Call[]): Promise<Outcome[]> {
  const waiting = calls.filter(({ isGone }) => !isGone);
  const inputs = waiting.map(({ input }) => input);
  const last = waiting.at(-1);
  const outcomes = last === undefined ? [] : await storeTogether(last.db, inputs);
  const gone: Outcome = { error: new Error('its caller no longer waits') };
  return calls.map((call) => outcomes[waiting.indexOf(call)] ?? gone);
}

/**
 * Registers what several calls of an account ask for, in one statement, or, if it is refused, in one for each in their
 * order: only those that cannot be stored fail.
 */
async function storeTogether(db: Db, inputs: readonly RegisterInput[]): Promise<Outcome[]> {
  const [first, ...others] = inputs;
  if (!first) return [];
  if (others.length === 0) return [await outcomeOf(storeInOneStatement(db, first))];
  const registrations = inputs.flatMap((input) => input.registrations);
  const together = await outcomeOf(storeInOneStatement(db, { ...first, registrations }));
  if ('error' in together && isDatabaseUnreachable(together.error)) return inputs.map(() => together);
  if ('result' in together && together.result.kind === 'registered') return divide(together.result.trackings, inputs);
  const outcomes: Outcome[] = [];
  for (const input of inputs) outcomes.push(await outcomeOf(storeInOneStatement(db, input)));
  return outcomes;
}

async function outcomeOf(work: Promise<RegisterResult>): Promise<Outcome> {
  return work.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
}

/** Each call's share of what one statement has registered, in their order. */
function divide(
  trackings: Extract<RegisterResult, { kind: 'registered' }>['trackings'],
  inputs: readonly RegisterInput[],
): Outcome[] {
  let end = 0;
  return inputs.map(({ registrations: { length } }) => {
    end += length;
    return { result: { kind: 'registered', trackings: trackings.slice(end - length, end) } };
  });
}

/** One number to register, with its carrier, or the likeliest of its candidates; a provider serves it. */
export type Registration = {
  trackingNumber: string;
  carrier: string;
  provider: string;
  /** Whether the carrier was detected by us; otherwise the merchant named it. */
  detected: boolean;
  /** If the carrier is not known: its candidates, in the order of their checks. */
  candidates?: readonly CandidateCarrier[] | undefined;
  /** The provider's floor, which applies if this names the carrier of an undecided tracking; absent: none. */
  floorSeconds?: number;
  /** The request that registers it; absent: none. */
  origin?: Origin;
} & TrackingInputs;

const REGISTERED = columns({
  id: column<Tracking['id']>('t.id'),
  trackingNumber: column<Tracking['trackingNumber']>('t.tracking_number'),
  carrier: column<Tracking['carrier']>('t.carrier'),
  provider: column<Tracking['provider']>('t.provider'),
  status: column<Status>('t.status'),
  detected: column<Tracking['detected']>('t.detected'),
  candidates: column<Undecided | null>('t.candidates'),
  ...INPUT_COLUMNS,
});

type Row = RowOf<typeof REGISTERED>;

/**
 * A tracking with the merchant's fields that are stored. `created` false: it was registered before, and nothing was
 * charged. `named`: its carrier was named only now.
 */
export type Registered = Row & { created: boolean; named?: true };

type RegisterResult = { kind: 'registered'; trackings: Registered[] } | { kind: 'quota_exhausted' };

/** If a tracking is deleted or decided between two statements, the registration is retried. */
const MAX_TRIES = 5;

/**
 * Registers numbers for an account: charges a unit for each new one, stores it with its first check due now. One
 * statement decides everything, so no interleaving can charge twice, charge beyond the limit, or store without charge.
 * All or nothing: if the quota is too small for all new ones, nothing is stored. A number without a named carrier is
 * new if the account does not have it with any carrier; a named carrier decides an undecided tracking of the number.
 * @param quotaLimit units per month.
 * @returns one entry for each registration, in their order.
 * @throws an Error when a number is stored and deleted by others at each of its tries. The other numbers may be
 *   registered then.
 */
async function storeInOneStatement(db: Db, input: RegisterInput): Promise<RegisterResult> {
  let results: (Registered | null)[];
  try {
    results = await tryToStore(db, input);
    for (let tries = 1; results.includes(null) && tries < MAX_TRIES; tries++) {
      const registrations = input.registrations.filter((_, index) => results[index] === null);
      const found = (await tryToStore(db, { ...input, registrations })).values();
      results = results.map((row) => row ?? found.next().value ?? null);
    }
  } catch (error) {
    if (violates(error, 'quota_usage_within_limit')) return { kind: 'quota_exhausted' };
    throw error;
  }
  const trackings = results.filter((row) => row !== null);
  // Without this check, later entries would belong to other numbers.
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
  if (created.length === input.registrations.length) return created;
  // Of several registrations of one number in a call, only the first counts as `created`.
  const fresh = new Set(created.map((row) => row.id));
  const find = finderOf(await findRegistered(db, input));
  const results: (Registered | null)[] = [];
  for (const registration of input.registrations) {
    const row = find(registration);
    if (!row) results.push(null);
    else if (registration.detected || !isUndecided(row)) results.push({ ...row, created: fresh.delete(row.id) });
    else if (await decide(db, input, registration, row)) {
      const { carrier, provider } = registration;
      Object.assign(row, { carrier, provider, detected: false, candidates: null, ...inputsOf(registration) });
      results.push({ ...row, created: false, named: true });
    } else results.push(null);
  }
  return results;
}

/** The merchant names the carrier of a tracking whose carrier is not known yet. */
function decide(db: Db, { accountId, now }: RegisterInput, registration: Registration, { id }: Row): Promise<boolean> {
  const { carrier, provider, floorSeconds = 0 } = registration;
  const move = { carrier, provider, detected: false, floorSeconds };
  return nameCarrier(db, { accountId, id, move, inputs: inputsOf(registration), now });
}

/** The merchant's fields that a registration gives. */
export function inputsOf(registration: Registration): TrackingInputs {
  const inputs: Record<string, unknown> = {};
  for (const name of INPUT_NAMES) if (registration[name] !== undefined) inputs[name] = registration[name];
  return inputs;
}

/** A number without a named carrier that the same call also contains with one: both are the same tracking. */
function insertable(registrations: readonly Registration[]): Registration[] {
  const named = new Set(registrations.filter(({ detected }) => !detected).map(({ trackingNumber }) => trackingNumber));
  return registrations.filter(({ detected, trackingNumber }) => !detected || !named.has(trackingNumber));
}

/** @returns the trackings that are new, in the order of their registrations. */
async function insertCharged(
  db: Db,
  { accountId, quotaLimit, registrations, now }: RegisterInput,
): Promise<Registered[]> {
  const records: Registered[] = [];
  const input: object[] = [];
  for (const registration of insertable(registrations)) {
    const record = recordOf(registration, now);
    const { id, trackingNumber: tracking_number, carrier, provider, detected, candidates } = record;
    const { requestId: request_id, traceparent } = registration.origin ?? {};
    const inputs = toWire(registration);
    records.push(record);
    input.push({ id, tracking_number, carrier, provider, detected, candidates, ...inputs, request_id, traceparent });
  }
  const month = monthOf(now).toISOString().slice(0, 10);
  const values = [JSON.stringify(input), accountId, now.toISOString(), month, quotaLimit, expiresAt(now).toISOString()];
  const stored = (await db.$hot(INSERT_CHARGED, values)) as Pick<Row, 'id' | 'metadata'>[];
  const metadataOf = new Map(stored.map(({ id, metadata }) => [id, metadata]));
  const created = records.filter(({ id }) => metadataOf.has(id));
  // The order of its keys is the database's.
  for (const record of created) record.metadata = metadataOf.get(record.id) ?? null;
  return created;
}

const NO_INPUTS = Object.fromEntries(INPUT_NAMES.map((name) => [name, null])) as Record<keyof TrackingInputs, null>;

/** The record that a registration stores if it is new. */
function recordOf(registration: Registration, now: Date): Registered {
  const { trackingNumber, carrier, detected, candidates = [] } = registration;
  const [first] = candidates;
  return {
    id: freshId(now),
    trackingNumber,
    carrier,
    provider: first?.provider ?? registration.provider,
    status: '查询中',
    detected,
    candidates: first ? startRound(candidates, now) : null,
    ...NO_INPUTS,
    ...inputsOf(registration),
    created: true,
  };
}

/** The columns of the inputs. */
const INPUTS = INPUT_NAMES.map((name) => toSnakeCase(name)).join(', ');
/** Their types for `jsonb_to_recordset`: a row type with all columns of the table would cost time. */
const INPUT_TYPES = INPUT_NAMES.map((name) => `${toSnakeCase(name)} ${name === 'metadata' ? 'jsonb' : 'varchar'}`);

/**
 * Six tables and the quota's check constraint in one statement, for any number of registrations. Hand-written, as a
 * constant text: composing it for each call would cost time.
 */
const INSERT_CHARGED = `
  WITH input AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS i(id varchar, tracking_number varchar, carrier varchar,
      provider varchar, detected boolean, candidates jsonb, ${INPUT_TYPES}, request_id varchar, traceparent varchar)
  ), created AS (
    INSERT INTO public.trackings (id, account_id, tracking_number, carrier, provider, detected, candidates, status,
      sub_status, created_at, updated_at, ${INPUTS})
    SELECT id, $2::varchar, tracking_number, carrier, provider, detected, candidates, '查询中', 'pending',
      $3::timestamptz, $3::timestamptz, ${INPUTS}
    -- Without a carrier any tracking of the number will do; a named carrier decides an undecided one. NOT EXISTS would
    -- become a join, whose plan, made for an account of average size, may read all trackings of a large one.
    FROM input i WHERE (
      SELECT true FROM public.trackings t WHERE t.account_id = $2::varchar AND t.tracking_number = i.tracking_number
        AND (i.detected OR (t.detected AND t.candidates IS NOT NULL)) LIMIT 1) IS NULL
    ORDER BY tracking_number, carrier -- one lock order for all callers
    ON CONFLICT (account_id, tracking_number, carrier) DO NOTHING
    RETURNING id
  ), stored AS (
    SELECT i.* FROM input i JOIN created USING (id)
  ), charged AS (
    INSERT INTO public.quota_usage (account_id, month, used, quota_limit)
    SELECT $2::varchar, $4::date, count(*)::int, $5::int FROM created HAVING count(*) > 0
    ON CONFLICT (account_id, month)
    DO UPDATE SET used = quota_usage.used + excluded.used, quota_limit = excluded.quota_limit
    RETURNING used, quota_limit
  ), noticed AS (
    INSERT INTO public.account_notices (account_id, kind, subject, occurrence, details, since)
    SELECT $2::varchar, 'quota_used', to_char($4::date, 'YYYY-MM'), l.percent || ' of ' || c.quota_limit, jsonb_build_object(
      'percent', l.percent, 'used', c.used, 'limit', c.quota_limit,
      'resets_at', to_char($4::date + interval '1 month', 'YYYY-MM-DD"T00:00:00Z"')), $3::timestamptz
    FROM charged c CROSS JOIN (SELECT count(*) AS units FROM created) n CROSS JOIN unnest('{${QUOTA_PERCENTS}}'::bigint[]) AS l(percent)
    WHERE c.used * 100::bigint >= c.quota_limit * l.percent AND (c.used - n.units) * 100 < c.quota_limit * l.percent
    ON CONFLICT (account_id, kind, subject, occurrence) WHERE until IS NULL DO NOTHING
  ), counted AS (
    INSERT INTO public.stat_counts AS c (account_id, series, at, figure, bucket, amount)
    SELECT $2::varchar, 'registered', date_bin('1 hour', $3::timestamptz, 'epoch'), 'registered', 0, count(*)::int
    FROM created HAVING count(*) > 0
    ON CONFLICT (account_id, series, at, figure, bucket) DO UPDATE SET amount = c.amount + excluded.amount
  ), searched AS (
    INSERT INTO public.tracking_search (account_id, tracking_id, carrier, text, order_id, metadata)
    SELECT $2::varchar, id, carrier, public.search_text(tracking_number, order_id, title), order_id, metadata
    FROM stored
  ), watched AS (
    INSERT INTO public.checks (tracking_id, account_id, provider, carrier, undecided, tracking_number, hints,
      next_check_at, expires_at, request_id, traceparent)
    SELECT id, $2::varchar, provider, COALESCE(candidates #>> '{candidates,0,carrier}', carrier),
      candidates IS NOT NULL, tracking_number,
      CASE WHEN COALESCE(phone, postal_code, destination_country) IS NOT NULL THEN jsonb_strip_nulls(jsonb_build_object(
        'phone', phone, 'postalCode', postal_code, 'destinationCountry', destination_country)) END,
      $3::timestamptz, $6::timestamptz, request_id, traceparent
    FROM stored
  )
  SELECT id, metadata FROM stored`;

/**
 * The trackings of the numbers, whatever their carriers, oldest first. A statement of its own, because the snapshot of
 * `INSERT_CHARGED` may not see a row that another request has just committed.
 */
async function findRegistered(
  db: Db,
  { accountId, registrations }: { accountId: string; registrations: readonly Registration[] },
): Promise<Row[]> {
  const numbers = [...new Set(registrations.map((each) => each.trackingNumber))];
  return rows(
    db,
    REGISTERED,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.trackings t
      WHERE t.account_id = ${accountId} AND t.tracking_number = ANY(${numbers}::text[]) ORDER BY t.created_at, t.id`,
  );
}

/** The result that a registration would have. */
export type Previewed = {
  /** The ID of the existing tracking. */
  id: string | null;
  status: Status;
  /** Whether it would be charged: it is new, and the first of its kind in the call. */
  charged: boolean;
  registration: Registration;
  /** The carrier that it has or would get. */
  carrier: string;
  detected: boolean;
  /** The codes of its candidates; empty if the carrier is known. */
  candidates: string[];
};

type PreviewResult = { kind: 'preview'; trackings: Previewed[] } | { kind: 'quota_exhausted' };

/**
 * Previews what `storeRegistrations` would do now with the same input; nothing is stored or charged.
 * @returns one entry for each registration, in their order.
 */
export async function previewTrackings(db: Db, input: RegisterInput): Promise<PreviewResult> {
  const { accountId, quotaLimit, registrations, now } = input;
  const existing = await findRegistered(db, input);
  const fresh = newOnes(registrations, existing);
  const find = finderOf(existing);
  if (fresh.size > 0 && (await quotaUsed(db, accountId, now)) + fresh.size > quotaLimit)
    return { kind: 'quota_exhausted' };
  return {
    kind: 'preview',
    trackings: registrations.map((registration) => {
      const known = find(registration);
      const { id = null, status = '查询中' } = known ?? {};
      const state = known && registration.detected ? stateOf(known) : stateOfNew(registration);
      return { id, status, charged: fresh.has(registration), registration, ...state };
    }),
  };
}

function stateOf(row: Row) {
  const { carrier, detected, candidates } = row;
  return { carrier, detected, candidates: candidates && isUndecided(row) ? candidateCodes(candidates) : [] };
}

function stateOfNew({ carrier, detected, candidates = [] }: Registration) {
  return { carrier, detected, candidates: candidates.map((candidate) => candidate.carrier) };
}

/** The data that decides whether a number is already registered. */
type Wanted = { trackingNumber: string; carrier: string; detected: boolean };
type Known = Wanted & { candidates: Undecided | null };

/**
 * The tracking that a registration returns. Without a named carrier, any tracking of the number will do, preferably one
 * that was also registered without one. A named carrier has a tracking of its own, unless that of the number is
 * undecided.
 * @param known trackings of the account, oldest first.
 */
export function findKnown<K extends Known>(wanted: Wanted, known: readonly K[]): K | undefined {
  const ofNumber = known.filter(({ trackingNumber }) => trackingNumber === wanted.trackingNumber);
  const ofCarrier = ofNumber.find(({ carrier }) => carrier === wanted.carrier);
  if (!wanted.detected) return ofCarrier ?? ofNumber.find(isUndecided);
  return ofNumber.find(isUndecided) ?? ofNumber.find(({ detected }) => detected) ?? ofCarrier ?? ofNumber[0];
}

/** `findKnown` among these trackings, for many registrations. */
function finderOf<K extends Known>(known: readonly K[]): (wanted: Wanted) => K | undefined {
  const ofNumber = byNumber(known);
  return (wanted) => findKnown(wanted, ofNumber.get(wanted.trackingNumber) ?? []);
}

/**
 * Trackings by their numbers, each list in the order given: searching all of them for each item of a batch is
 * quadratic.
 */
export function byNumber<K extends { trackingNumber: string }>(trackings: readonly K[]): Map<string, K[]> {
  const groups = new Map<string, K[]>();
  for (const tracking of trackings) {
    const group = groups.get(tracking.trackingNumber);
    if (group) group.push(tracking);
    else groups.set(tracking.trackingNumber, [tracking]);
  }
  return groups;
}

/** The registrations that would be charged, if `known` is what the account has: each new tracking once. */
export function newOnes<W extends Wanted>(registrations: readonly W[], known: readonly Known[]): Set<W> {
  const named = new Set(registrations.filter(({ detected }) => !detected).map(({ trackingNumber }) => trackingNumber));
  const fresh = new Map<string, W>();
  const find = finderOf(known);
  for (const registration of registrations) {
    const { trackingNumber, carrier, detected } = registration;
    const key = detected ? trackingNumber : `${trackingNumber} ${carrier}`;
    const isNew = !(detected && named.has(trackingNumber)) && !find(registration);
    if (isNew && !fresh.has(key)) fresh.set(key, registration);
  }
  return new Set(fresh.values());
}

/** The carrier that a merchant names for an undecided tracking. */
type Named = { accountId: string; id: string; move: Move; inputs: TrackingInputs; now: Date };

/**
 * Ends the search for the carrier of a tracking: the merchant names it, and gives it the inputs. Its unit is charged
 * already.
 * @returns false if its carrier is already known, or if the account has another tracking with that carrier.
 */
async function nameCarrier(db: Db, { accountId, id, move, inputs, now }: Named): Promise<boolean> {
  try {
    return await db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM public.trackings WHERE id = ${id} AND account_id = ${accountId} FOR UPDATE`;
      const before = await tx.tracking.findFirst({ where: { id, accountId } });
      if (!before || !isUndecided(before)) return false;
      const after = await tx.tracking.update({
        where: { id, accountId },
        data: { ...inputs, detected: false },
      });
      await moveTracking(tx, after, move, now);
      return true;
    });
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

/** A tracking whose carrier has just been found. */
type Decided = Pick<Tracking, 'id' | 'accountId' | 'trackingNumber' | 'carrier' | 'createdAt'>;

const TAKEN = columns({ id: column<string>('r.id'), otherId: column<Tracking['id']>('o.id') });

/**
 * Merges trackings whose carrier the account has for their number already into that other record: inputs that it lacks
 * are added, also to its check, and the unit is given back: one parcel is registered.
 * @returns the ids of the merged trackings, which no longer exist.
 */
export async function mergeTaken(tx: HotTx, decided: readonly Decided[]): Promise<Set<string>> {
  if (decided.length === 0) return new Set();
  const given = JSON.stringify(
    decided.map(({ id, accountId, trackingNumber, carrier }) => ({ id, accountId, trackingNumber, carrier })),
  );
  const taken = await hotRows(
    tx,
    TAKEN,
    (list) => Prisma.sql`
      SELECT ${list} FROM jsonb_to_recordset(${given}::jsonb)
        AS r(id text, "accountId" text, "trackingNumber" text, carrier text)
      JOIN public.trackings o ON o.account_id = r."accountId" AND o.tracking_number = r."trackingNumber"
        AND o.carrier = r.carrier AND o.id <> r.id
      ORDER BY o.id FOR UPDATE OF o`,
  );
  for (const { id, otherId } of taken) {
    const tracking = decided.find((each) => each.id === id);
    if (tracking) await merge(tx, tracking, otherId);
  }
  return new Set(taken.map(({ id }) => id));
}

/** Where the other record has no value of its own. */
const MISSING = Prisma.raw(
  INPUT_NAMES.map((name) => toSnakeCase(name))
    .map((name) => `${name} = COALESCE(o.${name}, t.${name})`)
    .join(', '),
);

const DELETED = columns({ id: column<Tracking['id']>('id') });

async function merge(tx: HotTx, { id, accountId, createdAt }: Decided, otherId: string): Promise<void> {
  await hotExecute(
    tx,
    Prisma.sql`
      WITH u AS (
        UPDATE public.trackings o SET ${MISSING} FROM public.trackings t
        WHERE t.id = ${id} AND t.account_id = ${accountId} AND o.id = ${otherId} AND o.account_id = ${accountId}
        RETURNING o.id, o.account_id, o.phone, o.postal_code, o.destination_country
      )
      UPDATE public.checks c SET hints = ${HINTS} FROM u WHERE c.tracking_id = u.id AND c.account_id = u.account_id`,
  );
  const deleted = await hotRows(
    tx,
    DELETED,
    (list) => Prisma.sql`
      DELETE FROM public.trackings WHERE id = ${id} AND account_id = ${accountId} RETURNING ${list}`,
  );
  if (deleted.length > 0)
    await hotExecute(
      tx,
      Prisma.sql`
        WITH counted AS (
          UPDATE public.stat_counts SET amount = amount - 1
          WHERE account_id = ${accountId} AND series = 'registered'
            AND at = date_bin('1 hour', ${createdAt.toISOString()}::timestamptz, 'epoch')
        )
        UPDATE public.quota_usage SET used = used - 1
        WHERE account_id = ${accountId} AND month = ${monthOf(createdAt).toISOString()}::date AND used > 0`,
    );
}
