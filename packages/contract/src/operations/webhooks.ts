import { MAX_WEBHOOKS } from '@pts/core/webhook/limits';
import { MOST_SIGNING } from '@pts/core/webhook/rotation';
import { defineOperation, NO_INPUT } from '../operation.ts';
import {
  deletedResponse,
  patchRequest,
  registerRequest,
  registerResponse,
  rotatedResponse,
  webhook,
  webhookById,
  webhooksResponse,
} from '../webhooks.ts';
import { REGISTERED_EXAMPLE, WEBHOOK_EXAMPLE } from './webhook-examples.ts';

/** Registers a receiver and tells its secret, this once. A known URL gets a new secret and its events. */
export const registerWebhook = defineOperation({
  method: 'post',
  path: '/webhooks',
  limit: 'webhooks',
  input: 'body',
  request: registerRequest,
  response: registerResponse,
  doc: {
    id: 'registerWebhook',
    registersReceiver: true,
    tag: 'Webhooks',
    summary: 'Register a webhook',
    description: `From now on every change of the account’s parcels is pushed there, and they are checked every 5 minutes instead of every hour. The secret that signs the pushes is told in this answer and never again. A URL that is registered already gets a new secret and these events; each secret that was replaced signs along for 24 hours. An account has at most ${MAX_WEBHOOKS} webhooks. What a receiver gets, and how it verifies it, is told under Webhooks below.`,
    example: {
      request: { url: WEBHOOK_EXAMPLE.url, events: WEBHOOK_EXAMPLE.events },
      response: REGISTERED_EXAMPLE,
    },
  },
});

/** An account's receivers, and why one is disabled. */
export const listWebhooks = defineOperation({
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
});

/** One receiver, as the list shows it. */
export const getWebhook = defineOperation({
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
});

/** Changes what a receiver subscribes to or where it is, disables or enables it. */
export const updateWebhook = defineOperation({
  method: 'patch',
  path: '/webhooks/:id',
  limit: 'webhooks',
  input: 'body',
  request: patchRequest,
  response: webhook,
  doc: {
    id: 'updateWebhook',
    tag: 'Webhooks',
    summary: 'Change, disable or enable a webhook',
    description:
      'What is owed to a webhook that is disabled is dropped; once it is enabled again, a replay sends what it missed. Enabling it forgets that it has been failing, and any `Retry-After`. Another address is judged as at registration; what is owed goes there.',
    errors: ['not_found'],
    example: { request: { enabled: true }, response: WEBHOOK_EXAMPLE },
  },
});

/** Nothing more is sent there, not even what is pending. */
export const deleteWebhook = defineOperation({
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
});

/** A new secret, told this once; those before sign for 24 hours more. */
export const rotateWebhookSecret = defineOperation({
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
});
