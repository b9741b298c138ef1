import { currentOf } from '@pts/core/tracking/undecided';
import { type HotTx, hotExecute } from '../connection.ts';
import { Prisma } from '../generated/client.ts';
import type { CandidateStep, Outcome } from './answer-snapshot.ts';
import { type Cadence, jittered, regularSeconds } from './schedule.ts';

/** Stores the next candidates of undecided numbers, and the carriers of decided ones. */
export async function storeSteps(tx: HotTx, outcomes: readonly Outcome[], cadence: Cadence, now: Date): Promise<void> {
  const decided = outcomes.flatMap(({ tracking: { id, accountId, carrier }, step }) =>
    step?.kind === 'decided' ? [{ id, account_id: accountId, carrier, provider: step.provider }] : [],
  );
  if (decided.length > 0) await storeDecided(tx, decided);
  const requested = outcomes.flatMap((outcome) => (outcome.step?.kind === 'ask' ? [rowOf(outcome, outcome.step)] : []));
  if (requested.length > 0) await storeAsked(tx, requested, cadence, now);
}

/** The regular update of the check has set the rest. */
async function storeDecided(
  tx: HotTx,
  decided: readonly { id: string; account_id: string; carrier: string; provider: string }[],
): Promise<void> {
  const rows = JSON.stringify(decided);
  const { ids, accounts } = keysIn(decided);
  await hotExecute(
    tx,
    Prisma.sql`
    UPDATE public.trackings t SET carrier = r.carrier, provider = r.provider, candidates = NULL
    FROM jsonb_to_recordset(${rows}::jsonb) AS r(id text, account_id text, carrier text, provider text)
    WHERE t.id = r.id AND t.account_id = r.account_id AND t.id = ANY(${ids}) AND t.account_id = ANY(${accounts})`,
  );
  await hotExecute(
    tx,
    Prisma.sql`
    UPDATE public.checks c SET carrier = r.carrier, provider = r.provider, undecided = false
    FROM jsonb_to_recordset(${rows}::jsonb) AS r(id text, account_id text, carrier text, provider text)
    WHERE c.tracking_id = r.id AND c.account_id = r.account_id AND c.tracking_id = ANY(${ids}) AND c.account_id = ANY(${accounts})`,
  );
}

/** Ids and accounts of rows (`accountsOf`). */
function keysIn(rows: readonly { id: string; account_id: string }[]) {
  return {
    ids: Prisma.sql`${rows.map(({ id }) => id)}::text[]`,
    accounts: Prisma.sql`${rows.map(({ account_id }) => account_id)}::text[]`,
  };
}

function rowOf({ tracking, fingerprint }: Outcome, step: Extract<CandidateStep, { kind: 'ask' }>) {
  const { undecided } = step;
  return {
    id: tracking.id,
    account_id: tracking.accountId,
    ...currentOf(undecided),
    state: undecided,
    fingerprint,
    at_once: step.isAtOnce,
    ends_round: step.endsFirstRound,
    is_outage: step.isOutage,
    due_at: step.dueAt,
    since: undecided.since,
    questions: undecided.candidates.length,
  };
}

/**
 * After the first round, the number waits as many intervals as the round had queries, then it has one query at each regular
 * check: it never costs more calls than a number whose carrier is known.
 */
async function storeAsked(
  tx: HotTx,
  requested: readonly ReturnType<typeof rowOf>[],
  cadence: Cadence,
  now: Date,
): Promise<void> {
  const rows = JSON.stringify(requested);
  const { ids, accounts } = keysIn(requested);
  const at = now.toISOString();
  const interval = jittered(regularSeconds(cadence), cadence);
  await hotExecute(
    tx,
    Prisma.sql`
    UPDATE public.trackings t SET provider = r.provider, candidates = r.state,
      -- Streams wait for the end of the first round.
      answered_at = CASE WHEN r.at_once THEN NULL ELSE t.answered_at END
    FROM jsonb_to_recordset(${rows}::jsonb) AS r(id text, account_id text, provider text, state jsonb, at_once boolean)
    WHERE t.id = r.id AND t.account_id = r.account_id AND t.id = ANY(${ids}) AND t.account_id = ANY(${accounts})`,
  );
  await hotExecute(
    tx,
    Prisma.sql`
    UPDATE public.checks c SET carrier = r.carrier, provider = r.provider, undecided = true, fingerprint = r.fingerprint,
      final_look = false, pushed = NULL,
      failure = CASE WHEN r.is_outage AND c.carrier = r.carrier THEN c.failure END,
      failing_since = CASE WHEN r.is_outage AND c.carrier = r.carrier THEN c.failing_since END,
      next_check_at = CASE
        WHEN r.at_once THEN r.due_at
        WHEN r.ends_round THEN GREATEST(r.due_at, ${at}::timestamptz + ${interval}, r.since + ${questionsWorth(cadence)})
        ELSE GREATEST(r.due_at, CASE WHEN c.next_check_at > ${at}::timestamptz AND NOT r.is_outage THEN c.next_check_at
          ELSE ${at}::timestamptz + ${interval} END) END
    FROM jsonb_to_recordset(${rows}::jsonb) AS r(
      id text, account_id text, carrier text, provider text, fingerprint text, at_once boolean, ends_round boolean, is_outage boolean,
      due_at timestamptz, since timestamptz, questions int)
    WHERE c.tracking_id = r.id AND c.account_id = r.account_id AND c.tracking_id = ANY(${ids}) AND c.account_id = ANY(${accounts})`,
  );
}

/** The time that the queries of the first round would take at the regular interval. */
function questionsWorth(cadence: Cadence): Prisma.Sql {
  return Prisma.sql`make_interval(secs => r.questions * GREATEST(${cadence.floorSeconds}::float8, ${regularSeconds(cadence)}))`;
}
