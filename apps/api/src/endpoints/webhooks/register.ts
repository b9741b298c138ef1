import { randomBytes } from 'node:crypto';
import { registerRequest, registerResponse } from '@pts/contract/webhooks';
import { newSecret } from '@pts/core/webhook/signature';
import { MAX_WEBHOOKS, registerWebhook } from '@pts/db/webhooks/endpoints';
import { useMonitoredInterval } from '@pts/service/trackings/use-monitored-interval';
import { operation } from '../../http/operation.ts';
import { REGISTERED_EXAMPLE, WEBHOOK_EXAMPLE } from './example.ts';
import { admitUrl, refusedField, tooManySecrets, urlFaults, viewRegistered } from './view.ts';

/** POST /webhooks: registers a receiver and tells its secret, this once. A known URL gets a new secret and its events. */
export const registerWebhookEndpoint = operation({
  method: 'post',
  path: '/webhooks',
  limit: 'webhooks',
  input: 'body',
  request: registerRequest,
  response: registerResponse,
  faults: urlFaults,
  doc: {
    id: 'registerWebhook',
    registersReceiver: true,
    tag: 'Webhooks',
    summary: 'Register a webhook',
    description:
      'From now on every change of the account’s parcels is pushed there, and they are checked every 5 minutes instead of every hour. The secret that signs the pushes is told in this answer and never again. A URL that is registered already gets a new secret and these events; each secret that was replaced signs along for 24 hours. An account has at most 10 webhooks. What a receiver gets, and how it verifies it, is told under Webhooks below.',
    example: {
      request: { url: WEBHOOK_EXAMPLE.url, events: WEBHOOK_EXAMPLE.events },
      response: REGISTERED_EXAMPLE,
    },
  },
  async run(deps, { account }, input) {
    const { db, secretCipher, urlPolicy } = deps;
    const url = admitUrl(input.url, urlPolicy);
    const at = deps.now();
    const secret = newSecret(randomBytes(32));
    const result = await registerWebhook(db, {
      accountId: account.id,
      url,
      events: [...new Set(input.events)],
      encryptedSecret: secretCipher.encrypt(secret),
      supersede: input.supersede,
      now: at,
    });
    if (result.kind === 'too_many_webhooks')
      throw refusedField('url', `is one too many: an account has at most ${MAX_WEBHOOKS} webhooks; delete one first`);
    if (result.kind === 'too_many_secrets') throw tooManySecrets('url', result.until);
    await useMonitoredInterval(deps, account.id);
    return viewRegistered(result.webhook, secret);
  },
});
