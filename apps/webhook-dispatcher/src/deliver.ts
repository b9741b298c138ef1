import { pushHeaders } from '@pts/core/webhook/headers';
import { signingBoxes } from '@pts/core/webhook/rotation';
import { type Verdict, verdictOf } from '@pts/core/webhook/verdict';
import type { AttemptOutcome, DueDelivery } from '@pts/db/deliveries';
import type { Sent } from '@pts/egress/send';
import type { DeliverJob } from '@pts/queue/catalog';
import type { DeliverDeps } from './deps.ts';

/** A later attempt waits as a delayed job only when it is due within this; the others wait in Postgres. */
const DELAYED_JOB_MS = 300_000;
/** The sweep takes a later attempt this long before it is due, so that it starts on time. */
const SWEEP_AHEAD_MS = 20_000;
/** The sweep leaves a delayed job alone until this long after it was due. */
const GRACE_MS = 15_000;

/**
 * Makes one attempt of a delivery: load what is owed, sign it now, send it, record what came of it, wake the next
 * attempt. What the receiver does is a value; a throw is a fault of ours, and never uses up one of its attempts.
 */
export async function deliver(deps: DeliverDeps, job: DeliverJob): Promise<void> {
  const delivery = await deps.load(job);
  if (!delivery) return;
  const startedAt = deps.now();
  const sent = await deps.send({ url: delivery.url, headers: sign(deps, delivery, startedAt), body: delivery.body });
  const verdict = verdictOf(
    sent.kind === 'answered' ? sent.status : 0,
    delivery.attempt,
    deps.now(),
    deps.ladderTimeScale,
  );
  const outcome = outcomeOf(delivery, startedAt, sent, verdict, deps.now());
  await deps.record(outcome);
  report(deps, outcome);
  await wakeNext(deps, outcome);
}

function sign({ secretBox }: DeliverDeps, delivery: DueDelivery, sentAt: Date): Record<string, string> {
  const secrets = signingBoxes(delivery, sentAt).map((box) => secretBox.open(box));
  const { messageId, event, attempt, body } = delivery;
  return pushHeaders({ messageId, event, attempt, body, secrets, sentAt });
}

function outcomeOf(delivery: DueDelivery, startedAt: Date, sent: Sent, verdict: Verdict, now: Date): AttemptOutcome {
  const { deliveryId, messageId, webhookId, accountId, event, attempt } = delivery;
  const answered = sent.kind === 'answered';
  return {
    ...{ deliveryId, messageId, webhookId, accountId, event, attempt, startedAt },
    statusCode: answered ? sent.status : 0,
    error: answered ? verdict.error : sent.reason,
    durationMs: sent.durationMs,
    responseExcerpt: answered && sent.excerpt !== '' ? sent.excerpt : null,
    state: verdict.state,
    nextAttemptAt: verdict.nextAttemptAt,
    wakeAt: verdict.nextAttemptAt && wakeAt(verdict.nextAttemptAt, now),
  };
}

function wakeAt(dueAt: Date, now: Date): Date {
  const isSoon = dueAt.getTime() - now.getTime() <= DELAYED_JOB_MS;
  return new Date(dueAt.getTime() + (isSoon ? GRACE_MS : -SWEEP_AHEAD_MS));
}

/** One wide line an attempt; never a body, a secret or an address with its query. */
function report({ logger, metrics }: DeliverDeps, outcome: AttemptOutcome): void {
  const { accountId, webhookId, messageId, deliveryId, event, attempt, statusCode, error, durationMs, nextAttemptAt } =
    outcome;
  metrics.attempts.inc({ outcome: outcome.state === 'owed' ? 'failed' : outcome.state });
  metrics.sendSeconds.observe(durationMs / 1000);
  const fields = { accountId, webhookId, messageId, deliveryId, event, attempt, statusCode, durationMs };
  if (error === null) logger.info(fields, 'delivered');
  else logger.warn({ ...fields, error, nextAttemptAt }, outcome.state === 'exhausted' ? 'gave up' : 'not delivered');
}

async function wakeNext(
  { producer, now }: DeliverDeps,
  { deliveryId, attempt, nextAttemptAt }: AttemptOutcome,
): Promise<void> {
  if (nextAttemptAt === null || deliveryId === null) return;
  const delayMs = nextAttemptAt.getTime() - now().getTime();
  if (delayMs <= DELAYED_JOB_MS) await producer.deliver([{ deliveryId, attempt: attempt + 1, delayMs }]);
}
