import { column, columns, type Db, rowsByIndex } from '../connection.ts';
import { type Check, Prisma } from '../generated/client.ts';
import { CLAIMED_AT, SLOT_JOIN, waits } from './ring.ts';

/** Where the checks of a carrier go: a provider, and the minimum seconds between two queries of a number there. */
export type Destination = { carrier: string; provider: string; floorSeconds: number };

const MOVED = columns({
  trackingId: column<Check['trackingId']>('c.tracking_id'),
  provider: column<Check['provider']>('c.provider'),
});
export type MovedCheck = { trackingId: string; provider: string };

type Move = { provider: string; limit: number; now: Date };

/** Moves checks of a provider that cannot answer to others, once they have been due for this many seconds. */
export async function moveDueChecks(
  db: Db,
  input: Move & { to: readonly Destination[]; overdueSeconds: number },
): Promise<MovedCheck[]> {
  const { provider, limit, now } = input;
  const at = Prisma.sql`${new Date(now.getTime() - input.overdueSeconds * 1000).toISOString()}::timestamptz`;
  const to = Prisma.sql`SELECT t.id AS tracking_id, t.account_id, r.provider AS target, r."floorSeconds" AS floor_seconds
    FROM public.checks c JOIN public.trackings t ON t.id = c.tracking_id AND t.account_id = c.account_id
    JOIN jsonb_to_recordset(${JSON.stringify(input.to)}::jsonb) AS r(carrier text, provider text, "floorSeconds" float8)
      ON r.carrier = c.carrier AND r.provider <> c.provider`;
  const isOfProvider = Prisma.sql`c.provider = ${provider} AND NOT c.undecided`;
  const pausedUntil = Prisma.sql`(SELECT paused_until FROM public.provider_pauses WHERE provider = ${provider})`;
  const groups = [
    Prisma.sql`WHERE ${isOfProvider} AND c.next_check_at <= ${at} ORDER BY c.next_check_at`,
    // Those that wait for the end of its pause. A range, because an order by one value would not choose the index.
    Prisma.sql`WHERE ${isOfProvider} AND c.next_check_at BETWEEN ${pausedUntil} AND ${pausedUntil} ORDER BY c.next_check_at`,
    Prisma.sql`JOIN public.check_slots s ON s.provider = c.provider AND s.ring = c.ring AND s.slot = c.slot
      WHERE ${waits('c')} AND ${isOfProvider} AND s.provider = ${provider} AND s.due_at <= ${at}
        AND c.tracking_id > COALESCE(s.after_id, '') ORDER BY s.due_at`,
  ];
  const moved: MovedCheck[] = [];
  for (const group of groups) {
    const rest = limit - moved.length;
    if (rest === 0) break;
    moved.push(...(await move(db, now, Prisma.sql`${to} ${group} LIMIT ${rest}::int FOR UPDATE OF t SKIP LOCKED`)));
  }
  return moved;
}

/** A carrier's route, in order. */
export type Route = { carrier: string; route: readonly { provider: string; floorSeconds: number }[] };

/**
 * Moves checks of parcels that a provider has not known for a long time to the next provider of the carrier's route, then to the
 * one after it, and finally to the first again: as many steps as `afterHours` have passed since the last news.
 */
export async function moveUnknownChecks(
  db: Db,
  input: Move & { routes: readonly Route[]; afterHours: number; newsDays: number },
): Promise<MovedCheck[]> {
  const { provider, limit, now, afterHours, newsDays } = input;
  const steps = input.routes.flatMap(({ carrier, route }) =>
    route.map((each, step) => ({ carrier, step, steps: route.length, ...each })),
  );
  // `expires_at` is the time of the last news, or of the registration, plus this many days.
  return move(
    db,
    now,
    Prisma.sql`
      SELECT t.id AS tracking_id, t.account_id, r.provider AS target, r."floorSeconds" AS floor_seconds
      FROM public.checks c JOIN public.trackings t ON t.id = c.tracking_id AND t.account_id = c.account_id
      JOIN jsonb_to_recordset(${JSON.stringify(steps)}::jsonb)
        AS r(carrier text, step int, steps int, provider text, "floorSeconds" float8) ON r.carrier = c.carrier
        AND r.step = mod(floor(extract(epoch FROM ${now.toISOString()}::timestamptz - c.expires_at
          + make_interval(days => ${newsDays}::int)) / ${afterHours * 3600}::float8)::int, r.steps)
      WHERE c.provider = ${provider} AND c.fingerprint = 'not-found' AND r.provider <> c.provider AND NOT c.undecided
      LIMIT ${limit}::int FOR UPDATE OF t SKIP LOCKED`,
  );
}

/**
 * Moves checks, with the trackings locked first, as everywhere. The new provider's first answer is always stored,
 * and its history replaces the former one's. No number is queried again before the floor of its new provider.
 */
async function move(db: Db, now: Date, picked: Prisma.Sql): Promise<MovedCheck[]> {
  const at = now.toISOString();
  return rowsByIndex(
    db,
    MOVED,
    (list) => Prisma.sql`
    WITH picked AS (${picked}), moved AS (
      UPDATE public.trackings t SET provider = p.target, asked_before = CASE WHEN a.at IS NULL THEN t.asked_before
        ELSE COALESCE(t.asked_before, '{}'::jsonb) || jsonb_build_object(t.provider, a.at) END
      FROM picked p JOIN public.checks c ON c.tracking_id = p.tracking_id AND c.account_id = p.account_id ${SLOT_JOIN}
      CROSS JOIN LATERAL (SELECT ${Prisma.raw(CLAIMED_AT)} AS at) a
      -- Another process may have moved it after this statement began, which sees the check as it was before.
      WHERE t.id = p.tracking_id AND t.account_id = p.account_id AND t.provider = c.provider
      RETURNING t.id, t.account_id, p.target, p.floor_seconds, (t.asked_before ->> p.target)::timestamptz AS asked_at
    )
    UPDATE public.checks c SET provider = m.target, fingerprint = NULL, claimed_at = m.asked_at, pushed = NULL, failure = NULL,
      failing_since = NULL, next_check_at = GREATEST(${at}::timestamptz, m.asked_at + make_interval(secs => m.floor_seconds))
    FROM moved m WHERE c.tracking_id = m.id AND c.account_id = m.account_id
    RETURNING ${list}`,
  );
}
