import { randomBytes } from 'node:crypto';
import { testRequest, testResponse } from '@pts/contract/webhooks';
import { newId } from '@pts/core/id';
import { pushHeaders } from '@pts/core/webhook/headers';
import { pingBody } from '@pts/core/webhook/payload';
import { signingSecrets } from '@pts/core/webhook/rotation';
import { verdictOf } from '@pts/core/webhook/verdict';
import { recordPings } from '@pts/db/deliveries/pings';
import { findWebhook } from '@pts/db/webhooks/endpoints';
import { operation } from '../../http/operation.ts';
import { noSuchWebhook } from './view.ts';

/** POST /webhooks/test: sends a signed ping to a receiver, once, and tells what it answered. */
export const testWebhook = operation({
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
  async run({ db, secretCipher, send, now }, { account }, { id }) {
    const webhook = await findWebhook(db, account.id, id);
    if (!webhook) throw noSuchWebhook();
    const startedAt = now();
    const messageId = newId(startedAt, randomBytes(8));
    const body = pingBody(startedAt, webhook.id);
    const secrets = signingSecrets(webhook, startedAt).map((box) => secretCipher.decrypt(box));
    const headers = pushHeaders({ messageId, event: 'ping', attempt: 1, body, secrets, sentAt: startedAt });
    const sent = await send({ url: webhook.url, headers, body });
    const status = sent.kind === 'answered' ? sent.status : 0;
    const error = sent.kind === 'answered' ? verdictOf(status, 1, startedAt).error : sent.reason;
    await recordPings(db, [
      {
        ...{ messageId, webhookId: webhook.id, accountId: account.id, attempt: 1, startedAt },
        ...{ statusCode: status, error, durationMs: sent.durationMs, trace: sent.trace },
        responseExcerpt: sent.kind === 'answered' && sent.excerpt !== '' ? sent.excerpt : null,
      },
    ]);
    return {
      reachable: sent.kind === 'answered',
      http_status: status,
      response_ms: sent.durationMs,
      ...(error === null ? {} : { error }),
    };
  },
});
