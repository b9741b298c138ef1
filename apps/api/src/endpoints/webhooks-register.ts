import { randomBytes } from 'node:crypto';
import { registerRequest, registerResponse } from '@pts/contract/webhooks';
import { ApiError } from '@pts/core/errors';
import { newSecret } from '@pts/core/webhook/signature';
import { refuseUrl } from '@pts/core/webhook/url-policy';
import { hastenChecks } from '@pts/db/checks';
import { MAX_WEBHOOKS, registerWebhook } from '@pts/db/webhooks';
import { endpoint } from '../endpoint.ts';
import { previousUntil, viewRegistered } from '../webhook-views.ts';

/** POST /webhooks: registers a receiver and tells its secret, this once. A known URL gets a new secret and its events. */
export const registerWebhookEndpoint = endpoint({
  method: 'post',
  path: '/webhooks',
  limit: 'webhooks',
  input: 'body',
  request: registerRequest,
  response: registerResponse,
  async run({ db, secretBox, urlPolicy, monitoredSeconds, providers, now }, { account }, input) {
    const refused = refuseUrl(input.url, urlPolicy);
    if (refused !== null)
      throw new ApiError('invalid_field', { text: `${refused}.`, fields: [{ field: 'url', message: refused }] });
    const at = now();
    const secret = newSecret(randomBytes(32));
    const webhook = await registerWebhook(db, {
      accountId: account.id,
      url: new URL(input.url).href,
      events: [...new Set(input.events)],
      secretBox: secretBox.seal(secret),
      previousUntil: previousUntil(at),
      now: at,
    });
    if (!webhook) throw tooMany();
    const floors = providers.map(({ name, limits }) => ({ provider: name, floorSeconds: limits.floorSeconds }));
    await hastenChecks(db, { accountId: account.id, monitoredSeconds, floors, now: at });
    return viewRegistered(webhook, secret);
  },
});

function tooMany(): ApiError {
  const message = `an account has at most ${MAX_WEBHOOKS} webhooks; delete one first`;
  return new ApiError('invalid_field', { text: `${message}.`, fields: [{ field: 'url', message }] });
}
