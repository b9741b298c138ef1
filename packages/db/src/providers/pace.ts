import { column, columns, type Db, hotRows, rows } from '../connection.ts';
import { Prisma } from '../generated/client.ts';

/** Permits of one provider, `spacingMs` apart, over all processes. */
export type PermitsWanted = {
  provider: string;
  /** Permits to take together. */
  count: number;
  spacingMs: number;
  /** How much longer nobody else gets one: the caller may know of its permits, and use them, this much later. */
  spareMs?: number;
  /** How long the caller would wait for the first one. */
  maxWaitMs: number;
};

/** Calls leave evenly but arrive unevenly: slowed down by this much, they never exceed the rate in any second at the provider. */
const MARGIN = 1.1;

/** The time between two calls at a rate. */
export function spacingMsOf(callsPerSecond: number): number {
  return (1000 / callsPerSecond) * MARGIN;
}

/**
 * How late a permit may be used: a fraction of a second, or of the time between two calls if that is longer. It is no more than
 * the margin saves, so that a late call and the following ones never exceed the rate in any second.
 */
export function lateMsOf(callsPerSecond: number): number {
  return (MARGIN - 1) * Math.max(1000, 1000 / callsPerSecond);
}

/** No permit is further away, unless the database's clock has been set back: then the permits of before do not count. */
const FURTHEST_MS = 3_600_000;

/** If taken: the first permit starts in `waitMs`. Otherwise the next permit is `waitMs` away, more than the caller would wait. */
export type Permits = { taken: boolean; waitMs: number };

const PERMIT = columns({
  /** By the database's clock, so that the clocks of processes do not matter. */
  waitMs: column<number>('GREATEST(0, extract(epoch FROM first_turn_at - clock_timestamp()) * 1000)::float8'),
});

/**
 * Takes the next permits to call a provider. The database decides, so all processes together keep its rate: permits are spaced
 * evenly, and unused permits are lost, so there are no bursts.
 */
export async function takePermits(
  db: Db,
  { provider, count, spacingMs, spareMs = 0, maxWaitMs }: PermitsWanted,
): Promise<Permits> {
  const lengthMs = count * spacingMs + spareMs;
  const length = interval(lengthMs);
  const isPossible = Prisma.sql`p.next_turn_at <= clock_timestamp() + ${interval(maxWaitMs + lengthMs + FURTHEST_MS)}`;
  const [taken] = await hotRows(
    db,
    PERMIT,
    (list) => Prisma.sql`
    WITH permit AS (
      INSERT INTO public.provider_pace AS p (provider, next_turn_at) VALUES (${provider}, clock_timestamp() + ${length})
      ON CONFLICT (provider) DO UPDATE SET
        next_turn_at = CASE WHEN ${isPossible} THEN GREATEST(p.next_turn_at, clock_timestamp()) ELSE clock_timestamp() END + ${length}
      WHERE p.next_turn_at <= clock_timestamp() + ${interval(maxWaitMs)} OR NOT ${isPossible}
      RETURNING next_turn_at - ${length} AS first_turn_at
    ) SELECT ${list} FROM permit`,
  );
  if (taken) return { taken: true, waitMs: taken.waitMs };
  const [next] = await hotRows(
    db,
    PERMIT,
    (list) => Prisma.sql`
    SELECT ${list} FROM (SELECT next_turn_at AS first_turn_at FROM public.provider_pace WHERE provider = ${provider}) permit`,
  );
  return { taken: false, waitMs: next?.waitMs ?? 0 };
}

/** Permits are taken a little ahead at any rate; only above this do calls wait for theirs. */
const AHEAD_MS = 1000;

/** Providers whose next permits are all taken, by any process: their rate delays calls. */
export async function providersAtRate(db: Db): Promise<string[]> {
  const found = await rows(
    db,
    columns({ provider: column<string>('provider') }),
    (list) =>
      Prisma.sql`SELECT ${list} FROM public.provider_pace WHERE next_turn_at > clock_timestamp() + ${interval(AHEAD_MS)}`,
  );
  return found.map(({ provider }) => provider);
}

function interval(ms: number): Prisma.Sql {
  return Prisma.sql`make_interval(secs => ${ms / 1000}::float8)`;
}
