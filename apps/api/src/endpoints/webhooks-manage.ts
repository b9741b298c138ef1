import { randomBytes } from 'node:crypto';
import {
  deletedResponse,
  patchRequest,
  registerResponse,
  webhook,
  webhookById,
  webhooksResponse,
} from '@pts/contract/webhooks';
import { ApiError } from '@pts/core/errors';
import { newSecret } from '@pts/core/webhook/signature';
import { deleteWebhook, listWebhooks, rotateSecret, updateWebhook } from '@pts/db/webhooks';
import { endpoint, NO_INPUT } from '../endpoint.ts';
import { noSuchWebhook, previousUntil, viewRegistered, viewWebhook } from '../webhook-views.ts';

/** GET /webhooks: an account's receivers, and why one is disabled. */
export const listWebhooksEndpoint = endpoint({
  method: 'get',
  path: '/webhooks',
  limit: 'webhooks',
  input: null,
  request: NO_INPUT,
  response: webhooksResponse,
  async run({ db }, { account }) {
    const webhooks = await listWebhooks(db, account.id);
    return { count: webhooks.length, webhooks: webhooks.map(viewWebhook) };
  },
});

/** PATCH /webhooks/{id}: changes what it subscribes to, disables or enables it. */
export const patchWebhook = endpoint({
  method: 'patch',
  path: '/webhooks/:id',
  limit: 'webhooks',
  input: 'body',
  request: patchRequest,
  response: webhook,
  async run({ db }, { account }, { id, events, enabled }) {
    if (events === undefined && enabled === undefined) {
      throw new ApiError('invalid_field', { text: 'Nothing to change: send events or enabled.' });
    }
    const changed = await updateWebhook(db, account.id, id, { events, enabled });
    if (!changed) throw noSuchWebhook();
    return viewWebhook(changed);
  },
});

/** DELETE /webhooks/{id}: nothing more is sent there, not even what is owed. */
export const removeWebhook = endpoint({
  method: 'delete',
  path: '/webhooks/:id',
  limit: 'webhooks',
  input: 'params',
  request: webhookById,
  response: deletedResponse,
  async run({ db }, { account }, { id }) {
    if (!(await deleteWebhook(db, account.id, id))) throw noSuchWebhook();
    return { id };
  },
});

/** POST /webhooks/{id}/rotate-secret: a new secret, told this once; for 24 hours both sign. */
export const rotateWebhookSecret = endpoint({
  method: 'post',
  path: '/webhooks/:id/rotate-secret',
  limit: 'webhooks',
  input: 'params',
  request: webhookById,
  response: { ...registerResponse, properties: { ...registerResponse.properties, enabled: { type: 'boolean' } } },
  async run({ db, secretBox, now }, { account }, { id }) {
    const secret = newSecret(randomBytes(32));
    const sealed = secretBox.seal(secret);
    const rotated = await rotateSecret(db, {
      accountId: account.id,
      id,
      secretBox: sealed,
      previousUntil: previousUntil(now()),
    });
    if (!rotated) throw noSuchWebhook();
    return viewRegistered(rotated, secret);
  },
});
