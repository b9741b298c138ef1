import { MAX_SIGNING, MAX_WEBHOOKS } from '@pts/core/webhook/endpoint';
import { defineOperation, NO_INPUT } from '../../operation.ts';
import {
  deletedResponse,
  patchRequest,
  registerRequest,
  registerResponse,
  rotatedResponse,
  webhook,
  webhookById,
  webhooksResponse,
} from '../../schemas/webhooks/webhooks.ts';
import { REGISTERED_EXAMPLE, WEBHOOK_EXAMPLE } from './webhook-examples.ts';

/** Registers a receiver and returns its secret, which is shown only once. A known URL gets a new secret and these events. */
export const registerWebhook = defineOperation({
  method: 'post',
  path: '/webhooks',
  limit: 'webhooks',
  // Each makes another secret.
  repeat: 'keyed',
  scope: 'webhooks',
  input: 'body',
  request: registerRequest,
  response: registerResponse,
  doc: {
    id: 'registerWebhook',
    registersReceiver: true,
    tag: 'Webhooks',
    summary: 'Register a webhook',
    summaryZh: '注册 Webhook',
    description: `Every change of the account’s parcels is pushed to this URL, and parcels are checked every 5 minutes instead of every hour; the checks of a large account get there in the background, and \`in_progress\` says so. The response contains the secret that signs the pushes; it is not shown again. A URL that is already registered gets a new secret and these events; a replaced secret keeps signing for 24 hours. An account can have ${MAX_WEBHOOKS} webhooks. The section Webhooks below describes what a receiver gets and how to verify it.`,
    example: {
      request: { url: WEBHOOK_EXAMPLE.url, events: WEBHOOK_EXAMPLE.events },
      response: REGISTERED_EXAMPLE,
    },
  },
});

/** An account's webhooks and their health. */
export const listWebhooks = defineOperation({
  method: 'get',
  path: '/webhooks',
  limit: 'webhooks',
  repeat: 'safe',
  scope: 'webhooks',
  input: null,
  request: NO_INPUT,
  response: webhooksResponse,
  doc: {
    id: 'listWebhooks',
    tag: 'Webhooks',
    summary: 'List webhooks',
    summaryZh: '列出 Webhook',
    description:
      'The webhooks with their health, without their secrets. `disabled_reason` says why the service disabled one.',
    example: { response: { count: 1, webhooks: [WEBHOOK_EXAMPLE] } },
  },
});

/** One webhook, as the list shows it. */
export const getWebhook = defineOperation({
  method: 'get',
  path: '/webhooks/:id',
  limit: 'webhooks',
  repeat: 'safe',
  scope: 'webhooks',
  input: 'params',
  request: webhookById,
  response: webhook,
  doc: {
    id: 'getWebhook',
    tag: 'Webhooks',
    summary: 'Read one webhook by its id',
    summaryZh: '读取一个 Webhook',
    description: 'The webhook with its health, without its secret. `disabled_reason` says why the service disabled it.',
    errors: ['not_found'],
    example: { response: WEBHOOK_EXAMPLE },
  },
});

/** Changes the events or the URL of a receiver, disables or enables it. */
export const updateWebhook = defineOperation({
  method: 'patch',
  path: '/webhooks/:id',
  limit: 'webhooks',
  repeat: 'safe',
  scope: 'webhooks',
  input: 'body',
  request: patchRequest,
  strict: true,
  response: webhook,
  doc: {
    id: 'updateWebhook',
    tag: 'Webhooks',
    summary: 'Change, disable or enable a webhook',
    summaryZh: '修改 Webhook',
    description:
      'Disabling a webhook drops its pending deliveries, in the background: `in_progress` says so, and nothing is sent until that is done, also if it is enabled at once. After enabling it again, use a replay to send what it missed. Enabling a disabled webhook clears its failures; `enabled: true` also ends any `Retry-After`. A new URL is validated as at registration and receives the pending deliveries. Other `events` count for what happens from now on: pending deliveries, and those of a running replay, are still sent.',
    errors: ['not_found'],
    example: { request: { enabled: true }, response: WEBHOOK_EXAMPLE },
  },
});

/** Removes a webhook; nothing more is sent to it, not even pending deliveries. */
export const deleteWebhook = defineOperation({
  method: 'delete',
  path: '/webhooks/:id',
  limit: 'webhooks',
  repeat: 'once',
  scope: 'webhooks',
  input: 'params',
  request: webhookById,
  response: deletedResponse,
  doc: {
    id: 'deleteWebhook',
    tag: 'Webhooks',
    summary: 'Remove a webhook',
    summaryZh: '删除 Webhook',
    description: 'No more pushes are sent, including pending deliveries. Its records stay in the delivery log.',
    errors: ['not_found'],
    example: { response: { id: WEBHOOK_EXAMPLE.id } },
  },
});

/** Creates a new secret, which is shown only once. Replaced secrets keep signing for 24 hours. */
export const rotateWebhookSecret = defineOperation({
  method: 'post',
  path: '/webhooks/:id/rotate-secret',
  limit: 'webhooks',
  repeat: 'keyed',
  scope: 'webhooks',
  input: 'params',
  request: webhookById,
  response: rotatedResponse,
  doc: {
    id: 'rotateWebhookSecret',
    tag: 'Webhooks',
    summary: 'Rotate the secret',
    summaryZh: '更换签名密钥',
    description: `The response contains the new secret; it is not shown again. A replaced secret keeps signing for 24 hours (the signature header has a \`v1\` for each), so receivers can switch without losing a push, and repeating the call after a timeout is safe. At most ${MAX_SIGNING} secrets sign at once; a further rotation is refused with 4130. To revoke a secret immediately, delete the webhook and register it again.`,
    errors: ['not_found', 'invalid_field'],
    example: { response: REGISTERED_EXAMPLE },
  },
});
