import { curlCommand, pushHeaders, trackingBody } from '@pts/core/webhook/push';
import { EXAMPLE_RECORD_ID } from '../../record-id.ts';
import { REGISTERED_EXAMPLE, WEBHOOK_EXAMPLE } from './webhook-examples.ts';

const SENT_AT = new Date('2025-11-21T00:34:13Z');
const MESSAGE_ID = '69201f4c1b9e0c5a7d3f2e61';
const NEXT_ATTEMPT = '2025-11-21T00:34:43Z';
const { id: webhookId, url } = WEBHOOK_EXAMPLE;

// Created by the code that creates pushes, so that the signature is valid.
const body = trackingBody('tracking_update', SENT_AT, {
  id: '691f0a3c5d2b4e6f8a9c0d1e',
  trackingNumber: 'YT8962646785999',
  carrier: 'yto',
  status: '派送中',
  subStatus: 'out_for_delivery',
  seq: 3,
  scans: [],
});
const headers = pushHeaders({
  messageId: MESSAGE_ID,
  event: 'tracking_update',
  attempt: 1,
  body,
  secrets: [REGISTERED_EXAMPLE.secret],
  sentAt: SENT_AT,
});

/** An example attempt with all its details. */
export const DELIVERY_EXAMPLE = {
  ts: '2025-11-21T00:34:13Z',
  event: 'tracking_update',
  status_code: 503,
  attempt: 1,
  round: 0,
  error: 'the receiver answered 503; only 200 to 299 is success',
  id: EXAMPLE_RECORD_ID,
  message_id: MESSAGE_ID,
  webhook_id: webhookId,
  duration_ms: 41,
  next_attempt_at: NEXT_ATTEMPT,
  response_excerpt: 'busy',
  delivery: { state: 'owed', attempts: 1, round: 0, next_attempt_at: NEXT_ATTEMPT },
  request: {
    method: 'POST',
    url,
    headers,
    body,
    curl: curlCommand({ url, headers, body }),
    signed_string: `${headers['X-Webhook-Timestamp']}.${body}`,
    notes: ['Receivers refuse this request once it is more than 300 seconds old. To send it again, redeliver it.'],
  },
  response: { status_code: 503, head: 'HTTP/1.1 503 Service Unavailable', excerpt: 'busy' },
  timing: {
    dns_ms: 2,
    connect_ms: 9,
    tls_ms: 14,
    first_byte_ms: 40,
    total_ms: 41,
    address: '198.51.100.7',
    reused: false,
  },
  other_attempts: [],
};
