import type { DueDelivery } from '@pts/db/deliveries/attempts';
import type { SpanStart } from '@pts/runtime/tracing/tracing';

/** The span of an attempt: the first is a part of the event's trace; a later one, which may be days later, only follows from it. */
export function spanOfAttempt(delivery: DueDelivery): SpanStart {
  const { traceparent, trackingId, requestId, webhookId, messageId, event, attempt, round } = delivery;
  const attributes = {
    'http.request.method': 'POST',
    'pts.tracking_ids': trackingId === null ? [] : [trackingId],
    'pts.request_id': requestId ?? '',
    'pts.webhook_id': webhookId,
    'pts.message_id': messageId,
    'pts.event': event,
    'pts.attempt': attempt,
  };
  const isFirst = attempt === 1 && round === 0;
  const origin = isFirst ? { parent: traceparent } : { links: traceparent === null ? [] : [traceparent] };
  return { kind: 'client', ...origin, attributes };
}
