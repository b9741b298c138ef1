import { scanLagSeconds } from '@pts/core/webhook/push';
import type { AttemptOutcome, DueDelivery } from '@pts/db/deliveries/attempts';
import type { DrainDeps } from '../process/deps.ts';
import type { Attempted } from './attempt.ts';
import { masked } from './failure-log.ts';

type ReportDeps = Pick<DrainDeps, 'logger' | 'failures' | 'metrics'>;

/** Counts and logs each attempt. */
export function report(deps: ReportDeps, delivery: DueDelivery, attempted: Attempted): void {
  const { failures, metrics } = deps;
  const { outcome, detail, traceId } = attempted;
  metrics.attempts.inc({ outcome: outcome.state === 'owed' ? 'failed' : outcome.state });
  metrics.sendSeconds.observe({}, outcome.durationMs / 1000, traceId);
  measureLag(deps, delivery, outcome);
  failures.attempted(detail === null ? outcome : { ...outcome, detail });
  logAttempt(deps, delivery, attempted);
}

/** How late an event is that a receiver has accepted. A redelivery is requested long after its event. */
function measureLag({ metrics }: ReportDeps, delivery: DueDelivery, outcome: AttemptOutcome): void {
  if (outcome.state !== 'delivered' || outcome.round > 0) return;
  const acceptedAtMs = outcome.startedAt.getTime() + outcome.durationMs;
  // Clocks of two processes may differ a little.
  const pushSeconds = Math.max(0, acceptedAtMs - delivery.storedAt.getTime()) / 1000;
  metrics.pushSeconds.observe(pushSeconds);
  const { event, trackingId, body } = delivery;
  // Every scan is an update; further events may follow from it.
  if (event !== 'tracking_update' || trackingId === null) return;
  const scanLag = scanLagSeconds(body, trackingId);
  if (scanLag !== null) metrics.scanPushSeconds.observe(scanLag + pushSeconds);
}

/** Never a body, a secret or a URL with its query. */
function logAttempt({ logger }: ReportDeps, delivery: DueDelivery, { outcome, detail, traceId }: Attempted): void {
  const { accountId, webhookId, messageId, deliveryId, event, attempt, round, statusCode, error, durationMs } = outcome;
  // A message's first failure tells whose push is late; its retries are in the delivery log.
  const level = error !== null && attempt === 1 ? 'info' : 'debug';
  // Making the fields of a line that nobody reads takes as long as signing.
  if (!logger.isLevelEnabled(level)) return;
  const { trackingId, requestId } = delivery;
  const ids = { accountId, trackingId, requestId, webhookId, messageId, deliveryId };
  const fields = { ...ids, event, attempt, round, statusCode, durationMs, ...(traceId !== null && { traceId }) };
  if (error === null) logger[level](fields, 'delivered');
  else
    logger[level](
      { ...fields, error: masked(error), detail: masked(detail), nextAttemptAt: outcome.nextAttemptAt },
      outcome.state === 'exhausted' ? 'gave up' : 'not delivered',
    );
}
