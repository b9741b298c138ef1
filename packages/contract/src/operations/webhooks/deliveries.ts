import { defineOperation } from '../../operation.ts';
import { EXAMPLE_RECORD_ID } from '../../record-id.ts';
import { deliveriesQuery, deliveriesResponse } from '../../schemas/webhooks/delivery-log.ts';
import { deliveryById, deliveryResponse, redeliverResponse } from '../../schemas/webhooks/webhook-deliveries.ts';
import { DELIVERY_EXAMPLE } from './delivery-example.ts';

const ID = EXAMPLE_RECORD_ID;
const IDS = { message_id: '69a463e0a1b2c3d4e5f60718', webhook_id: '69a45f02b1c2d3e4f5061728' };

/** The most recent attempts, newest first. */
export const listDeliveries = defineOperation({
  method: 'get',
  path: '/webhooks/deliveries',
  limit: 'webhooks',
  repeat: 'safe',
  scope: 'webhooks',
  input: 'query',
  request: deliveriesQuery,
  response: deliveriesResponse,
  doc: {
    id: 'listDeliveries',
    tag: 'Webhooks',
    summary: 'List recent deliveries',
    summaryZh: '列出推送记录',
    description:
      'Lists the most recent delivery attempts, newest first. For the next page, send the `next_before` of a page as `before`, as far back as records are kept. Filters can be combined. With filters that few of many attempts match, a page may have fewer entries than `limit`, even none, although `next_before` is not null.',
    example: {
      response: {
        count: 1,
        items: [
          {
            ts: '2026-03-01T16:00:01Z',
            event: 'tracking_delivered',
            status_code: 503,
            attempt: 1,
            error: 'the receiver answered 503; only 200 to 299 is success',
            id: ID,
            ...IDS,
            duration_ms: 84,
            next_attempt_at: '2026-03-01T16:00:31Z',
            response_excerpt: 'busy',
            round: 0,
          },
        ],
        next_before: null,
      },
    },
  },
});

/** One attempt with everything needed to debug it. */
export const explainDelivery = defineOperation({
  method: 'get',
  path: '/webhooks/deliveries/:id',
  limit: 'webhooks',
  repeat: 'safe',
  scope: 'webhooks',
  input: 'params',
  request: deliveryById,
  response: deliveryResponse,
  doc: {
    id: 'explainDelivery',
    tag: 'Webhooks',
    summary: 'Read one delivery in detail',
    summaryZh: '查看一次推送的详情',
    description:
      'The record with what was sent (`request`: headers, raw body, the exact text that was signed, and a `curl` command), what came back (`response`), how long each step took (`timing`), and the other attempts of the same message. The signature is recomputed; after the secret was rotated it is null, and `notes` says so. Use the `curl` command only for debugging: receivers refuse it once it is more than 300 seconds old.',
    errors: ['not_found'],
    example: { response: DELIVERY_EXAMPLE },
  },
});

/** Sends a message to its endpoint again, starting at attempt 1. */
export const redeliver = defineOperation({
  method: 'post',
  path: '/webhooks/deliveries/:id/redeliver',
  limit: 'webhooks.redeliver',
  repeat: 'keyed',
  scope: 'webhooks',
  input: 'params',
  request: deliveryById,
  response: redeliverResponse,
  doc: {
    id: 'redeliver',
    tag: 'Webhooks',
    summary: 'Send one delivery again',
    summaryZh: '重新推送一条消息',
    description:
      'Takes the id of a delivery record. Its message is sent to the same webhook again, now and, if that fails, up to 14 times like any event; `X-Webhook-Id` and body stay the same. A message that waits for a later attempt is sent now instead; one that is due already is returned as it is and not sent twice. To send a ping again, use `POST /webhooks/test`.',
    errors: ['not_found', 'invalid_field'],
    example: {
      response: {
        id: ID,
        ...IDS,
        event: 'tracking_delivered',
        state: 'owed',
        attempts: 0,
        round: 1,
        next_attempt_at: '2026-03-01T18:20:00Z',
      },
    },
  },
});
