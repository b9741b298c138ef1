import { defineOperation } from '../../operation.ts';
import {
  checkWebhookRequest,
  checkWebhookResponse,
  testAnswer,
  testRequest,
} from '../../schemas/webhooks/webhook-check.ts';

/** Sends one signed ping to a receiver and returns its response. */
export const testWebhook = defineOperation({
  method: 'post',
  path: '/webhooks/test',
  limit: 'webhooks',
  repeat: 'keyed',
  scope: 'webhooks',
  input: 'body',
  request: testRequest,
  strict: 'misspelt',
  response: testAnswer,
  doc: {
    id: 'testWebhook',
    tag: 'Webhooks',
    summary: 'Send a ping',
    summaryZh: '发送测试推送',
    description:
      'Sends one signed `ping` to the webhook named, or to the newest, and returns the response of the receiver. If the receiver cannot be reached, `reachable` is false and `error` says why. The ping is not retried; the delivery log records it. The request takes as long as the receiver does, up to 10 seconds. With `kind` or `event`, it sends a push of your choice instead, right or wrong on purpose, and `push` says what was sent and what a correct receiver answers; the delivery log records it as a ping. With `dry_run`, the response only shows that push, with its headers and what they sign.',
    errors: ['not_found'],
    bodyIsOptional: true,
    example: { request: {}, response: { reachable: true, http_status: 200, response_ms: 41 } },
  },
});

/** Checks whether a receiver verifies pushes as spec section 6.3 requires. Works for disabled webhooks too. */
export const checkWebhook = defineOperation({
  method: 'post',
  path: '/webhooks/:id/check',
  limit: 'webhooks',
  repeat: 'keyed',
  scope: 'webhooks',
  input: 'params',
  request: checkWebhookRequest,
  response: checkWebhookResponse,
  doc: {
    id: 'checkWebhook',
    tag: 'Webhooks',
    summary: 'Check whether a receiver verifies pushes',
    summaryZh: '检查接收端',
    description:
      'Sends four pings, one after the other: a valid one, a stale one (signed 7 minutes ago), a tampered one (its body changed after it was signed), and the valid one again under the same `X-Webhook-Id`. A correct receiver answers 2xx, 400, 401 and 2xx; otherwise `advice` says what to fix. No parcel changes. The delivery log records each ping. A disabled webhook can be checked too. The request takes up to 40 seconds, 10 for each ping.',
    errors: ['not_found'],
    example: {
      response: {
        passed: false,
        checks: [
          { name: 'valid', expected: '2xx', http_status: 200, response_ms: 41, passed: true, advice: null },
          {
            name: 'stale',
            expected: '400',
            http_status: 200,
            response_ms: 38,
            passed: false,
            advice:
              'It accepted a push that was signed 7 minutes ago, so an attacker could replay a recorded push. Answer 400 when X-Webhook-Timestamp differs from your clock by more than 300 s in either direction.',
          },
          { name: 'tampered', expected: '401', http_status: 401, response_ms: 36, passed: true, advice: null },
          { name: 'duplicate', expected: '2xx', http_status: 200, response_ms: 39, passed: true, advice: null },
        ],
      },
    },
  },
});
