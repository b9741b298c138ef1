import { randomBytes } from 'node:crypto';
import { checkWebhookRequest, checkWebhookResponse } from '@pts/contract/webhook-check';
import { newId } from '@pts/core/id';
import { signingSecrets } from '@pts/core/webhook/rotation';
import { type Ping, recordPings } from '@pts/db/deliveries/pings';
import { findWebhook, type Webhook } from '@pts/db/webhooks/endpoints';
import { type CheckTrace, checkReceiver } from '@pts/egress/check-receiver';
import { operation } from '../../http/operation.ts';
import { noSuchWebhook } from './view.ts';

/** POST /webhooks/{id}/check: whether a receiver verifies as spec section 6.3 asks. Also of one that is disabled. */
export const checkWebhook = operation({
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
  async run({ db, secretCipher, send, now }, { account }, { id }) {
    const webhook = await findWebhook(db, account.id, id);
    if (!webhook) throw noSuchWebhook();
    const startedAt = now();
    const messageId = () => newId(startedAt, randomBytes(8));
    const { passed, checks, traces } = await checkReceiver({ send, now }, webhook.url, {
      webhookId: webhook.id,
      secrets: signingSecrets(webhook, startedAt).map((box) => secretCipher.decrypt(box)),
      startedAt,
      messageIds: [messageId(), messageId(), messageId()],
    });
    await recordPings(
      db,
      traces.map((trace) => pingOf(webhook, trace)),
    );
    return { passed, checks };
  },
});

/** How one ping of the check stands in the delivery log. A refusal that was asked for is told as one. */
function pingOf({ id, accountId }: Webhook, { messageId, attempt, startedAt, sent, result }: CheckTrace): Ping {
  const isSuccess = result.passed && result.expected === '2xx';
  const answered = sent.kind === 'answered' ? `the receiver answered ${sent.status}` : sent.reason;
  const asAsked = result.passed ? ', as it should' : `; ${result.expected} was expected`;
  return {
    ...{ messageId, webhookId: id, accountId, attempt, startedAt, trace: sent.trace },
    ...{ statusCode: result.http_status, durationMs: result.response_ms },
    error: isSuccess ? null : `check, ${result.name} push: ${answered}${asAsked}`,
    responseExcerpt: sent.kind === 'answered' && sent.excerpt !== '' ? sent.excerpt : null,
  };
}
