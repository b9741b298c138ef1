import { MAX_KEYS, TEST_QUOTA } from '@pts/core/account';
import { defineOperation, NO_INPUT } from '../operation.ts';
import { createdKey, createKeyRequest, keyById, keysResponse, revokedKey } from '../schemas/keys.ts';

const EXAMPLE = {
  id: '69a47c11c2d3e4f506172840',
  hint: 'tk_3f1a…9f3c',
  name: 'ERP',
  test: false,
  scopes: ['read', 'write'] as const,
  // Readers of the reference send this example, so it must stay in the future.
  expires_at: '2099-01-31T00:00:00Z',
  networks: ['203.0.113.0/24'],
  created_at: '2026-03-01T17:51:29Z',
};

/** The message for a revocation after which nobody could create keys. */
export const LAST_ADMIN_KEY =
  'This is the only key of the account with the scope admin: without it, no key could be created. Create another one with POST /api/v1/keys first.';

/** Creates a key, which is shown only once. */
export const createKey = defineOperation({
  method: 'post',
  path: '/keys',
  limit: 'keys',
  repeat: 'keyed',
  scope: 'admin',
  input: 'body',
  request: createKeyRequest,
  strict: true,
  response: createdKey,
  doc: {
    id: 'createKey',
    tag: 'Keys',
    summary: 'Create an API key',
    summaryZh: '创建 API 密钥',
    description: `The response contains the key; it is not shown again. A new key has no more than the one that creates it: no other scopes, no later end, and no networks outside of its own. An account can have ${MAX_KEYS} keys.\n\nA **test key** (\`test\`, \`tk_test_…\`) is for integrating against production. What it registers is apart from everything else of the account: live keys do not see it, nor the reverse, and it has its own webhooks, imports, limits and ${TEST_QUOTA.toLocaleString('en')} new parcels a month, which cost nothing. Its numbers never reach a carrier: they play scripted journeys. \`SBXEXPRESS1\` is delivered in 20 seconds, \`SBXEXCEPTION1\` has an exception, \`SBXRETURNED1\` goes back, \`SBXNOTFOUND1\` is never found, and any other number is delivered after 45 seconds; choose your own digits, because a number has one journey. Its pushes and events have \`"test": true\`.`,
    example: {
      request: { name: 'ERP', scopes: ['read', 'write'], expires_at: EXAMPLE.expires_at, networks: EXAMPLE.networks },
      response: { key: createdKey.properties.key.examples[0], ...EXAMPLE },
    },
  },
});

/** The account's keys, without the keys themselves. */
export const listKeys = defineOperation({
  method: 'get',
  path: '/keys',
  limit: 'keys',
  repeat: 'safe',
  scope: 'admin',
  input: null,
  request: NO_INPUT,
  response: keysResponse,
  doc: {
    id: 'listKeys',
    tag: 'Keys',
    summary: 'List API keys',
    summaryZh: '列出 API 密钥',
    description: 'The keys with their scopes, ends, networks and last use. The keys themselves are not stored.',
    example: {
      response: { count: 1, keys: [{ ...EXAMPLE, last_used_at: '2026-03-04T09:12:00Z', is_current: false }] },
    },
  },
});

/** Revokes a key. */
export const revokeKey = defineOperation({
  method: 'delete',
  path: '/keys/:id',
  limit: 'keys',
  repeat: 'once',
  scope: 'admin',
  input: 'params',
  request: keyById,
  response: revokedKey,
  doc: {
    id: 'revokeKey',
    tag: 'Keys',
    summary: 'Revoke an API key',
    summaryZh: '撤销 API 密钥',
    description:
      'The key is refused everywhere within a second; streams that use it end within three. The last key with the scope `admin` cannot be revoked.',
    errors: ['not_found', 'conflict'],
    conflict: {
      when: 'It is the only key of the account with the scope `admin`. Create another one first.',
      message: LAST_ADMIN_KEY,
    },
    example: { response: { id: EXAMPLE.id, revoked_at: '2026-03-04T09:15:00Z' } },
  },
});
