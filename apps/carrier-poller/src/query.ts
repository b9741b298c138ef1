import type { Question } from '@pts/carriers/provider';
import { type Answer, fingerprint } from '@pts/core/tracking/answer';
import { type Trouble, troubleOf } from '@pts/core/tracking/trouble';
import { type ChangedAnswer, saveAnswers } from '@pts/db/answers';
import { type ClaimedCheck, claimChecks, endChecks, giveBackChecks, keepRhythm } from '@pts/db/checks';
import type { QueryJob } from '@pts/queue/catalog';
import type { PollerDeps } from './deps.ts';
import { heldBackUntil, noteSuccess, noteTrouble } from './trouble.ts';

/**
 * Asks a provider about a batch of parcels and stores what is new. An answer whose fingerprint is the one that came
 * with the check changes nothing, and costs no database access.
 */
export async function query(deps: PollerDeps, job: QueryJob): Promise<void> {
  const checks = 'claimed' in job ? job.claimed : await claim(deps, job.ids);
  if (checks.length === 0) return;
  const heldBack = await heldBackUntil(deps);
  if (heldBack) return giveBackChecks(deps.db, checks.map(idOf), heldBack);
  const askedAt = deps.now();
  const { answers, latencyMs } = await ask(deps, checks);
  const trouble = troubleOf(answers);
  if (trouble) return moveAll(deps, checks, trouble);
  await noteSuccess(deps, askedAt);
  await store(deps, checks, answers, latencyMs);
}

function claim({ db, provider, cadence, now }: PollerDeps, ids: readonly string[]): Promise<ClaimedCheck[]> {
  return claimChecks(db, { provider: provider.name, limit: provider.limits.batchSize, cadence, now: now() }, ids);
}

type Asked = { answers: Answer[]; latencyMs: number };

async function ask({ provider, metrics, logger }: PollerDeps, checks: readonly ClaimedCheck[]): Promise<Asked> {
  const startedAt = performance.now();
  const answers = await provider.ask(checks.map(toQuestion));
  const seconds = (performance.now() - startedAt) / 1000;
  metrics.callSeconds.observe({ provider: provider.name }, seconds);
  const kinds = countKinds(answers);
  for (const [kind, count] of Object.entries(kinds)) metrics.answers.inc({ provider: provider.name, kind }, count);
  logger.debug(
    { provider: provider.name, numbers: checks.length, durationMs: Math.round(seconds * 1000), ...kinds },
    'asked',
  );
  return { answers, latencyMs: seconds * 1000 };
}

async function store(
  deps: PollerDeps,
  checks: readonly ClaimedCheck[],
  answers: readonly Answer[],
  latencyMs: number,
): Promise<void> {
  const now = deps.now();
  const answered = checks.flatMap((check, index) => {
    const answer = answers[index];
    return answer ? [{ check, answer, digest: fingerprint(answer, now) }] : [];
  });
  const changed: ChangedAnswer[] = answered.flatMap(({ check, answer, digest }) =>
    digest === null || digest === check.fingerprint
      ? []
      : [{ ...check, answer, fingerprint: digest, latencyMs, provider: deps.provider.name }],
  );
  if (changed.length > 0) {
    const owed = await saveAnswers(deps.db, changed, deps.cadence, deps.now());
    await deps.producer.deliver(owed);
    await deps.signals.publish('answered', firstAnswers(answered));
    deps.logger.info(
      { provider: deps.provider.name, asked: checks.length, changed: changed.length, endpoints: owed.length },
      'parcels changed',
    );
  }
  await endFinalLooks(deps, answered);
  await moveUnanswered(deps, answered);
}

/** Those that had no answer before: somebody may be waiting for them. */
function firstAnswers(answered: readonly Answered[]): string[] {
  return answered.flatMap(({ check, digest }) =>
    check.fingerprint === null && digest !== null ? [check.trackingId] : [],
  );
}

type Answered = { check: ClaimedCheck; answer: Answer; digest: string | null };

/** An arrived parcel whose one more look brought nothing new is watched no longer. */
async function endFinalLooks({ db }: PollerDeps, answered: readonly Answered[]): Promise<void> {
  const ended = answered.filter(({ check, digest }) => check.finalLook && digest === check.fingerprint);
  if (ended.length > 0)
    await endChecks(
      db,
      ended.map(({ check }) => check.trackingId),
    );
}

/** A first check without an answer would wait for its lease to end; it keeps the regular rhythm instead. */
async function moveUnanswered({ db, cadence, now }: PollerDeps, answered: readonly Answered[]): Promise<void> {
  const unanswered = answered.filter(({ check, digest }) => check.fingerprint === null && digest === null);
  if (unanswered.length === 0) return;
  await keepRhythm(
    db,
    unanswered.map(({ check }) => check.trackingId),
    cadence,
    now(),
  );
}

/** The provider is in trouble: all of its checks move, none fails. Those just asked about also keep its floor. */
async function moveAll(deps: PollerDeps, checks: readonly ClaimedCheck[], trouble: Trouble): Promise<void> {
  const again = await noteTrouble(deps, trouble);
  const floor = deps.now().getTime() + deps.cadence.floorSeconds * 1000;
  await giveBackChecks(deps.db, checks.map(idOf), new Date(Math.max(again.getTime(), floor)));
}

function toQuestion(check: ClaimedCheck): Question {
  return { number: check.trackingNumber, carrier: check.carrier, ...check.hints };
}

function idOf(check: ClaimedCheck): string {
  return check.trackingId;
}

function countKinds(answers: readonly Answer[]): Record<string, number> {
  const kinds: Record<string, number> = {};
  for (const answer of answers) {
    const kind = answer.kind === 'failed' ? answer.failure : answer.kind;
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}
