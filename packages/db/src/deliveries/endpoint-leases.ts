import { column, columns, type Db, type HotTx, hotExecute, hotRows } from '../connection.ts';
import { type EndpointLease, Prisma } from '../generated/client.ts';

/** How long a lease lasts unless it is renewed, by the clock of the database. */
const LEASE_SECONDS = 5;
const EXPIRES_AT = Prisma.sql`clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}::float8)`;

const LEASE = columns({ id: column<EndpointLease['webhookId']>('t.webhook_id') });

/**
 * Takes the leases of endpoints for a process, so that no other process works for them. Hand-written: Prisma's upserts
 * take no condition. The rows are locked in one order, so that processes do not deadlock.
 * @returns the endpoints whose lease it got: those that no other process holds.
 */
export async function takeLeases(db: HotTx, holder: string, webhookIds: readonly string[]): Promise<string[]> {
  const taken = await hotRows(
    db,
    LEASE,
    (list) => Prisma.sql`
    INSERT INTO public.endpoint_turns AS t (webhook_id, holder, expires_at)
    SELECT DISTINCT id, ${holder}, ${EXPIRES_AT} FROM unnest(${[...webhookIds]}::text[]) AS id ORDER BY id
    ON CONFLICT (webhook_id) DO UPDATE SET holder = EXCLUDED.holder, expires_at = EXCLUDED.expires_at
    WHERE t.holder = EXCLUDED.holder OR t.expires_at <= clock_timestamp()
    RETURNING ${list}`,
  );
  return taken.map(({ id }) => id);
}

/** Renews leases that the process still holds. A row that another process has locked is left for the next time. */
export async function renewLeases(db: HotTx, holder: string, webhookIds: readonly string[]): Promise<void> {
  await hotExecute(
    db,
    Prisma.sql`
    UPDATE public.endpoint_turns SET expires_at = ${EXPIRES_AT}
    WHERE webhook_id = ANY (ARRAY(
      SELECT webhook_id FROM public.endpoint_turns WHERE webhook_id = ANY (${[...webhookIds]}::text[]) AND holder = ${holder}
      FOR UPDATE SKIP LOCKED))`,
  );
}

/**
 * Part of a statement: takes those of the leases $3 for the process $4 that are free and that have not changed since the statement
 * began, so that its snapshot shows everything that the previous lease has recorded. It waits for nobody. The ids twice: as in
 * `recordAttempts`.
 */
export const TAKE_FREE_LEASES = `
  seen AS MATERIALIZED (SELECT webhook_id, xmin AS version FROM public.endpoint_turns WHERE webhook_id = ANY ($3::text[])),
  taken AS MATERIALIZED (
    UPDATE public.endpoint_turns t SET holder = $4, expires_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    WHERE webhook_id = ANY (ARRAY(
      SELECT free.webhook_id FROM seen
      JOIN public.endpoint_turns free ON free.webhook_id = seen.webhook_id AND free.xmin = seen.version
      WHERE free.webhook_id = ANY ($3::text[]) AND (free.holder = $4 OR free.expires_at <= clock_timestamp())
      FOR UPDATE OF free SKIP LOCKED))
    RETURNING t.webhook_id)`;

/**
 * Statement, or part of one: ends leases of a process. The rows stay, because a lease that was taken before can be taken together
 * with a load. They expire in full milliseconds: rounded up, they would be free a moment later.
 */
export const endingLeases = (webhookIds: string, holder: string) => `
  UPDATE public.endpoint_turns SET holder = '', expires_at = date_trunc('milliseconds', clock_timestamp())
  WHERE webhook_id = ANY (ARRAY(
    SELECT webhook_id FROM public.endpoint_turns WHERE webhook_id = ANY (${webhookIds}::text[]) AND holder = ${holder}
    ORDER BY webhook_id FOR UPDATE))`;

/** Ends leases of the process: any process can take them. */
export async function endLeases({ $hot }: HotTx, holder: string, webhookIds: readonly string[]): Promise<void> {
  await $hot(endingLeases('$1', '$2'), [webhookIds, holder]);
}

/** Removes up to `batch` leases that nobody has taken for a day, for example of deleted endpoints. @returns how many. */
export async function forgetLeases(db: Db, batch: number): Promise<number> {
  return db.$executeRaw`
    DELETE FROM public.endpoint_turns WHERE webhook_id = ANY (ARRAY(
      SELECT webhook_id FROM public.endpoint_turns WHERE expires_at < clock_timestamp() - interval '1 day'
      LIMIT ${batch} FOR UPDATE SKIP LOCKED))`;
}

/** The endpoints for which any process works at the moment. */
export async function endpointsAtWork(db: HotTx): Promise<string[]> {
  const held = await hotRows(
    db,
    LEASE,
    (list) => Prisma.sql`SELECT ${list} FROM public.endpoint_turns t WHERE t.expires_at > clock_timestamp()`,
  );
  return held.map(({ id }) => id);
}
