import { defineOperation } from '../operation.ts';
import { checkWebhookRequest, checkWebhookResponse } from '../webhook-check.ts';
import { testRequest, testResponse } from '../webhooks.ts';

/** Sends a signed ping to a receiver, once, and tells what it answered. */
export const testWebhook = defineOperation({
  method: 'post',
  path: '/webhooks/test',
  limit: 'webhooks',
  input: 'body',
  request: testRequest,
  response: testResponse,
  doc: {
    id: 'testWebhook',
    tag: 'Webhooks',
    summary: 'Send a ping',
    description:
      'Sends one signed `ping` now, to the webhook named or to the newest, and tells what came back. A receiver that cannot be reached is an answer, too: `reachable` is false and `error` says why. The ping is not tried again, and it is in the delivery log. The answer takes as long as the receiver does, up to 10 seconds.',
    errors: ['not_found'],
    bodyIsOptional: true,
    example: { request: {}, response: { reachable: true, http_status: 200, response_ms: 41 } },
  },
});

/** Whether a receiver verifies as spec section 6.3 asks. Also of one that is disabled. */
export const checkWebhook = defineOperation({
  method: 'post',
  path: '/webhooks/:id/check',
  limit: 'webhooks',
  input: 'params',
  request: checkWebhookRequest,
  response: checkWebhookResponse,
  doc: {
    id: 'checkWebhook',
    tag: 'Webhooks',
    summary: 'Check whether a receiver verifies',
    description:
      'Sends four pings, one after the other: a valid one, a stale one (signed 7 minutes ago), a tampered one (its body changed after it was signed), and the valid one again under the same `X-Webhook-Id`. A receiver that is right answers 2xx, 400, 401 and 2xx; `advice` says what to mend where it did not. No parcel changes. Each ping is in the delivery log. A webhook that is disabled can be checked too. The answer may take 40 seconds, as long as the receiver takes four times.',
    errors: ['not_found'],
    example: {
      response: {
        passed: false,
        checks: [
          { name: 'valid', expected: '2xx', http_status: 200, response_ms: 41, passed: true, advice: null },
          {
            ...{ name: 'stale', expected: '400', http_status: 200, response_ms: 38, passed: false },
            advice:
              'It accepted a push that was signed 7 minutes ago: whoever recorded one could send it again at any time. Refuse with 400 when X-Webhook-Timestamp is more than 300 s away from your clock, either way.',
          },
          { name: 'tampered', expected: '401', http_status: 401, response_ms: 36, passed: true, advice: null },
          { name: 'duplicate', expected: '2xx', http_status: 200, response_ms: 39, passed: true, advice: null },
        ],
      },
    },
  },
});
