import { storedMessage } from '@pts/core/languages/message';
import { signingSecrets } from '@pts/core/webhook/endpoint';
import { familyBody } from '@pts/core/webhook/family';
import { type StaticHeaders, withoutValues } from '@pts/core/webhook/headers';
import { pushHeaders, scanLagSeconds, sentAs } from '@pts/core/webhook/push';
import { type Verdict, verdictOf } from '@pts/core/webhook/retry';
import type { AttemptOutcome, DueDelivery } from '@pts/db/deliveries/attempts';
import type { Sent } from '@pts/egress/send';
import { addToSpan, currentTraceId, type SpanStart, traced, traceHeaders } from '@pts/runtime/tracing/tracing';
import { FAMILY_FACTS } from '@pts/service/family';
import type { Receiver, Reporting } from './deps.ts';
import { masked } from './failure-log.ts';

export type Attempted = {
  outcome: AttemptOutcome;
  verdict: Verdict;
  /** For the operator's log only. */
  detail: string | null;
  /** Null if it is not sampled. */
  traceId: string | null;
};

/**
 * Makes one attempt of a delivery: signs it now, sends it, evaluates the result. What the receiver does is a value; a
 * throw is an internal error and never uses up an attempt.
 */
export async function attempt(receiver: Receiver, delivery: DueDelivery, now: () => Date): Promise<Attempted> {
  const startedAt = now();
  // Encoded once, instead of once per signature and once more for sending.
  const body = Buffer.from(delivery.format === 'v4' ? familyBody(delivery.body, FAMILY_FACTS) : delivery.body);
  const staticHeaders = staticHeadersOf(receiver, delivery);
  const { sent, traceId } = await traced('push', spanOf(delivery), async () => {
    const headers = { ...sign(receiver, delivery, { body, staticHeaders, sentAt: startedAt }), ...traceHeaders() };
    const sent = withoutValues(await receiver.send({ url: delivery.url, headers, body }), staticHeaders);
    addToSpan({ 'http.response.status_code': statusOf(sent) });
    return { sent, traceId: currentTraceId() };
  });
  const verdict = verdictOf(statusOf(sent), delivery.attempt, now(), {
    timeScale: receiver.retryTimeScale,
    retryAfterHeader: sent.kind === 'answered' ? sent.retryAfter : null,
  });
  const detail = sent.kind === 'answered' ? null : sent.detail;
  const trace = { ...sent.trace, url: delivery.url, ...sentAs({ format: delivery.format, staticHeaders }) };
  return { outcome: outcomeOf(delivery, { startedAt, sent, verdict, trace }), verdict, detail, traceId };
}

/** The first attempt is a part of the event's trace; a later one, which may be days later, only follows from it. */
function spanOf(delivery: DueDelivery): SpanStart {
  const { traceparent, trackingId, requestId, webhookId, messageId, event, attempt, round } = delivery;
  const attributes = {
    'http.request.method': 'POST',
    'pts.tracking_ids': trackingId === null ? [] : [trackingId],
    'pts.request_id': requestId ?? '',
    'messaging.system': 'webhook',
    'messaging.operation.type': 'send',
    'messaging.operation.name': 'push',
    'messaging.destination.name': webhookId,
    'messaging.message.id': messageId,
    'pts.event': event,
    'pts.attempt': attempt,
  };
  const isFirst = attempt === 1 && round === 0;
  const origin = isFirst ? { parent: traceparent } : { links: traceparent === null ? [] : [traceparent] };
  return { kind: 'client', ...origin, attributes };
}

/** The static headers of the endpoint; null without any. */
function staticHeadersOf({ decryptSecret }: Receiver, { encryptedHeaders }: DueDelivery): StaticHeaders | null {
  return encryptedHeaders === null ? null : JSON.parse(decryptSecret(encryptedHeaders));
}

type Signed = { body: Buffer; staticHeaders: StaticHeaders | null; sentAt: Date };

/** Signs a push with each secret that is valid: while one is being rotated, two. */
function sign({ decryptSecret }: Receiver, delivery: DueDelivery, signed: Signed): Record<string, string> {
  const secrets = signingSecrets(delivery, signed.sentAt).map(decryptSecret);
  const { messageId, event, attempt, format } = delivery;
  return pushHeaders({ messageId, event, attempt, secrets, format, ...signed });
}

function statusOf(sent: Sent): number {
  return sent.kind === 'answered' ? sent.status : 0;
}

type Result = { startedAt: Date; sent: Sent; verdict: Verdict; trace: object };

function outcomeOf(delivery: DueDelivery, { startedAt, sent, verdict, trace }: Result): AttemptOutcome {
  const { deliveryId, messageId, webhookId, accountId, event, attempt, round } = delivery;
  const answered = sent.kind === 'answered';
  const error = answered ? verdict.error : sent.reason;
  return {
    deliveryId,
    messageId,
    webhookId,
    accountId,
    event,
    attempt,
    round,
    startedAt,
    statusCode: statusOf(sent),
    error: error && storedMessage(error),
    durationMs: sent.durationMs,
    responseExcerpt: answered && sent.excerpt !== '' ? sent.excerpt : null,
    trace,
    state: verdict.state,
    nextAttemptAt: verdict.nextAttemptAt,
  };
}

/** Counts and logs each attempt. */
export function report(reporting: Reporting, delivery: DueDelivery, attempted: Attempted): void {
  const { failures, metrics } = reporting;
  const { outcome, detail, traceId } = attempted;
  metrics.attempts.inc({ outcome: outcome.state === 'owed' ? 'failed' : outcome.state });
  metrics.sendSeconds.observe({}, outcome.durationMs / 1000, traceId);
  measureLag(reporting, delivery, outcome);
  failures.attempted(detail === null ? outcome : { ...outcome, detail });
  logAttempt(reporting, delivery, attempted);
}

/** How late an event is that a receiver has accepted. A redelivery is requested long after its event. */
function measureLag({ metrics }: Reporting, delivery: DueDelivery, outcome: AttemptOutcome): void {
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
function logAttempt({ logger }: Reporting, delivery: DueDelivery, { outcome, detail, traceId }: Attempted): void {
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
