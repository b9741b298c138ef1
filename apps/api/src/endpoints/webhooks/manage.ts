import { randomBytes } from 'node:crypto';
import {
  deletedResponse,
  patchRequest,
  rotatedResponse,
  webhook,
  webhookById,
  webhooksResponse,
} from '@pts/contract/webhooks';
import { nothingToChange } from '@pts/core/faults';
import { MOST_SIGNING } from '@pts/core/webhook/rotation';
import { newSecret } from '@pts/core/webhook/signature';
import { deleteWebhook, findWebhook, listWebhooks, rotateSecret, updateWebhook } from '@pts/db/webhooks/endpoints';
import { useMonitoredInterval } from '@pts/service/trackings/use-monitored-interval';
import { NO_INPUT, operation } from '../../http/operation.ts';
import { REGISTERED_EXAMPLE, WEBHOOK_EXAMPLE } from './example.ts';
import {
  admitUrl,
  noSuchWebhook,
  refusedField,
  tooManySecrets,
  urlFaults,
  viewRegistered,
  viewWebhook,
  viewWebhooks,
} from './view.ts';

/** GET /webhooks: an account's receivers, and why one is disabled. */
export const listWebhooksEndpoint = operation({
  method: 'get',
  path: '/webhooks',
  limit: 'webhooks',
  input: null,
  request: NO_INPUT,
  response: webhooksResponse,
  doc: {
    id: 'listWebhooks',
    tag: 'Webhooks',
    summary: 'List webhooks',
    description: 'Without their secrets, with how each is doing. `disabled_reason` says why the service disabled one.',
    example: { response: { count: 1, webhooks: [WEBHOOK_EXAMPLE] } },
  },
  async run({ db, now }, { account }) {
    const webhooks = await listWebhooks(db, account.id);
    return { count: webhooks.length, webhooks: await viewWebhooks(db, webhooks, now()) };
  },
});

/** GET /webhooks/{id}: one receiver, as the list shows it. */
export const findWebhookEndpoint = operation({
  method: 'get',
  path: '/webhooks/:id',
  limit: 'webhooks',
  input: 'params',
  request: webhookById,
  response: webhook,
  doc: {
    id: 'getWebhook',
    tag: 'Webhooks',
    summary: 'Read one webhook by its id',
    description: 'Without its secret, with how it is doing. `disabled_reason` says why the service disabled it.',
    errors: ['not_found'],
    example: { response: WEBHOOK_EXAMPLE },
  },
  async run({ db, now }, { account }, { id }) {
    const found = await findWebhook(db, account.id, id);
    if (!found) throw noSuchWebhook();
    return viewWebhook(db, found, now());
  },
});

/** PATCH /webhooks/{id}: changes what it subscribes to or where it is, disables or enables it. */
export const patchWebhook = operation({
  method: 'patch',
  path: '/webhooks/:id',
  limit: 'webhooks',
  input: 'body',
  request: patchRequest,
  response: webhook,
  faults: urlFaults,
  doc: {
    id: 'updateWebhook',
    tag: 'Webhooks',
    summary: 'Change, disable or enable a webhook',
    description:
      'What is owed to a webhook that is disabled is dropped; once it is enabled again, a replay sends what it missed. Enabling it forgets that it has been failing, and any `Retry-After`. Another address is judged as at registration; what is owed goes there.',
    errors: ['not_found'],
    example: { request: { enabled: true }, response: WEBHOOK_EXAMPLE },
  },
  async run(deps, { account }, { id, ...given }) {
    const { url, events, enabled, supersede } = given;
    if ([url, events, enabled, supersede].every((value) => value === undefined)) {
      throw nothingToChange(['url', 'events', 'enabled', 'supersede']);
    }
    const change = {
      ...{ enabled, supersede, events: events && [...new Set(events)] },
      url: url === undefined ? undefined : admitUrl(url, deps.urlPolicy),
    };
    const at = deps.now();
    const changed = await updateWebhook(deps.db, { accountId: account.id, id, change, now: at });
    if (!changed) throw noSuchWebhook();
    if (changed === 'url_taken') throw refusedField('url', 'is that of another of your webhooks');
    if (enabled) await useMonitoredInterval(deps, account.id);
    return viewWebhook(deps.db, changed, at);
  },
});

/** DELETE /webhooks/{id}: nothing more is sent there, not even what is owed. */
export const removeWebhook = operation({
  method: 'delete',
  path: '/webhooks/:id',
  limit: 'webhooks',
  input: 'params',
  request: webhookById,
  response: deletedResponse,
  doc: {
    id: 'deleteWebhook',
    tag: 'Webhooks',
    summary: 'Remove a webhook',
    description: 'Nothing more is sent there, not even what is owed. Its records stay in the delivery log.',
    errors: ['not_found'],
    example: { response: { id: WEBHOOK_EXAMPLE.id } },
  },
  async run({ db }, { account }, { id }) {
    if (!(await deleteWebhook(db, account.id, id))) throw noSuchWebhook();
    return { id };
  },
});

/** POST /webhooks/{id}/rotate-secret: a new secret, told this once; those before sign for 24 hours more. */
export const rotateWebhookSecret = operation({
  method: 'post',
  path: '/webhooks/:id/rotate-secret',
  limit: 'webhooks',
  input: 'params',
  request: webhookById,
  response: rotatedResponse,
  doc: {
    id: 'rotateWebhookSecret',
    tag: 'Webhooks',
    summary: 'Make a new secret',
    description: `The new secret is told in this answer and never again. Each secret that was replaced signs along for 24 hours (the signature header has a \`v1\` for each), so receivers can change over without losing a push, and a call that was repeated after a timeout does no harm. At most ${MOST_SIGNING} secrets sign at once; a rotation beyond that is refused with 4130. To end a secret at once, delete the webhook and register it again.`,
    errors: ['not_found', 'invalid_field'],
    example: { response: REGISTERED_EXAMPLE },
  },
  async run({ db, secretCipher, now }, { account }, { id }) {
    const secret = newSecret(randomBytes(32));
    const sealed = secretCipher.encrypt(secret);
    const rotated = await rotateSecret(db, { accountId: account.id, id, encryptedSecret: sealed, now: now() });
    if (!rotated) throw noSuchWebhook();
    if (rotated.kind === 'too_many_secrets') throw tooManySecrets('id', rotated.until);
    return viewRegistered(rotated.webhook, secret);
  },
});
