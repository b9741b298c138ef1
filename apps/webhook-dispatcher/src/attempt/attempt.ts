import { signingSecrets } from '@pts/core/webhook/endpoint';
import { pushHeaders } from '@pts/core/webhook/push';
import { type Verdict, verdictOf } from '@pts/core/webhook/retry';
import type { AttemptOutcome, DueDelivery } from '@pts/db/deliveries/attempts';
import type { Sent } from '@pts/egress/send';
import { addToSpan, currentTraceId, type SpanStart, traced, traceHeaders } from '@pts/runtime/tracing/tracing';
import type { AttemptDeps } from '../process/deps.ts';

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
export async function attempt(deps: AttemptDeps, delivery: DueDelivery): Promise<Attempted> {
  const startedAt = deps.now();
  // Encoded once, instead of once per signature and once more for sending.
  const body = Buffer.from(delivery.body);
  const { sent, traceId } = await traced('push', spanOf(delivery), async () => {
    const headers = { ...sign(deps, delivery, body, startedAt), ...traceHeaders() };
    const sent = await deps.send({ url: delivery.url, headers, body });
    addToSpan({ 'http.response.status_code': statusOf(sent) });
    return { sent, traceId: currentTraceId() };
  });
  const verdict = verdictOf(statusOf(sent), delivery.attempt, deps.now(), {
    timeScale: deps.retryTimeScale,
    retryAfterHeader: sent.kind === 'answered' ? sent.retryAfter : null,
  });
  const detail = sent.kind === 'answered' ? null : sent.detail;
  return { outcome: outcomeOf(delivery, startedAt, sent, verdict), verdict, detail, traceId };
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

/** With each secret that is valid: while one is being rotated, two. */
function sign(
  { decryptSecret }: AttemptDeps,
  delivery: DueDelivery,
  body: Buffer,
  sentAt: Date,
): Record<string, string> {
  const secrets = signingSecrets(delivery, sentAt).map(decryptSecret);
  const { messageId, event, attempt } = delivery;
  return pushHeaders({ messageId, event, attempt, body, secrets, sentAt });
}

function statusOf(sent: Sent): number {
  return sent.kind === 'answered' ? sent.status : 0;
}

function outcomeOf(delivery: DueDelivery, startedAt: Date, sent: Sent, verdict: Verdict): AttemptOutcome {
  const { deliveryId, messageId, webhookId, accountId, event, attempt, round, url } = delivery;
  const answered = sent.kind === 'answered';
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
    error: answered ? verdict.error : sent.reason,
    durationMs: sent.durationMs,
    responseExcerpt: answered && sent.excerpt !== '' ? sent.excerpt : null,
    trace: { ...sent.trace, url },
    state: verdict.state,
    nextAttemptAt: verdict.nextAttemptAt,
  };
}
