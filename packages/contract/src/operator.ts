import { MAX_ACCOUNT_NAME, MAX_KEYS, MAX_UNITS, SCOPES } from '@pts/core/account';
import { message } from '@pts/core/languages/message';
import { freeText } from '@pts/core/tracking/fields';
import {
  accountResponse,
  apiKey,
  createdKey,
  createKeyRequest,
  keyById,
  listedKey,
  plan,
  revokedKey,
} from './account.ts';
import { entryCount, id, instant, instantOrNull, nextCursor, pageLimit } from './common.ts';
import { defineOperation } from './operation.ts';
import { object, optional } from './schema.ts';

const accountId = { ...id, description: 'The id of the account.' } as const;
const units = { type: 'integer', minimum: 0, maximum: MAX_UNITS } as const;
const quotaOverride = {
  ...units,
  type: ['integer', 'null'],
  description: 'The monthly units of this account, instead of those of its plan; null to use those of its plan.',
  examples: [25_000],
} as const;

/** An account as operators see it. */
const account = object(
  {
    id: accountId,
    name: { type: 'string', description: 'Its name.', examples: ['Hangzhou Jackets'] },
    plan,
    status: {
      title: 'ManagedAccountStatus',
      type: 'string',
      enum: ['active', 'disabled', 'deleting'],
      description:
        '`disabled`: its keys are refused; its parcels are still checked and pushed. `deleting`: everything of it is being deleted in the background.',
    },
    quota_limit: { type: 'integer', description: 'Units in a month.', examples: [10_000] },
    quota_override: quotaOverride,
    disabled_at: { ...instantOrNull, description: 'When the account was disabled; null if it is active.' },
    created_at: { ...instant, description: 'When it was created.' },
  },
  { title: 'ManagedAccount', description: 'An account of the installation.' },
);

const accountWithQuota = object(
  {
    ...account.properties,
    quota_used: { type: 'integer', description: 'Units used this month.', examples: [42] },
    quota_remaining: { type: 'integer', minimum: 0, description: 'Units left this month.', examples: [9_958] },
    resets_at: accountResponse.properties.resets_at,
  },
  {
    title: 'ManagedAccountDetail',
    description: 'An account of the installation, and what it has used this month.',
  },
);

const accountById = object({ id: accountId });

const EXAMPLE = {
  id: '6909a1b2c3d4e5f60718293a',
  name: 'Hangzhou Jackets',
  plan: 'pro',
  status: 'active',
  quota_limit: 25_000,
  quota_override: 25_000,
  disabled_at: null,
  created_at: '2025-11-04T06:58:10Z',
} as const;
const EXAMPLE_DETAIL = {
  ...EXAMPLE,
  quota_used: 42,
  quota_remaining: 24_958,
  resets_at: '2025-12-01T00:00:00Z',
} as const;
const EXAMPLE_KEY = {
  id: '69a47c11c2d3e4f506172840',
  hint: 'tk_3f1a…9f3c',
  name: null,
  test: false,
  scopes: SCOPES,
  expires_at: null,
  networks: [],
  created_at: '2025-11-04T06:58:10Z',
} as const;
const EXAMPLE_NEW_KEY = { key: createdKey.properties.key.examples[0], ...EXAMPLE_KEY } as const;

const COMMON = { limit: 'operator', scope: 'operator' } as const;

export const listAccounts = defineOperation({
  ...COMMON,
  method: 'get',
  path: '/operator/accounts',
  repeat: 'safe',
  input: 'query',
  request: {
    type: 'object',
    properties: {
      limit: pageLimit,
      cursor: { ...id, description: 'The `next_cursor` of the previous page.' },
    },
  },
  response: object(
    {
      accounts: { type: 'array', items: account, description: 'The accounts, oldest first, including test accounts.' },
      next_cursor: nextCursor,
    },
    { title: 'ManagedAccountPage' },
  ),
  doc: {
    id: 'listAccounts',
    tag: 'Platforms',
    summary: 'List all accounts',
    summaryZh: '列出所有账户',
    errors: ['not_found'],
    example: { response: { accounts: [EXAMPLE], next_cursor: null } },
  },
});

export const createAccount = defineOperation({
  ...COMMON,
  method: 'post',
  path: '/operator/accounts',
  repeat: 'keyed',
  input: 'body',
  request: object(
    {
      name: {
        ...freeText(MAX_ACCOUNT_NAME),
        description: 'A name for the account, such as the name of the merchant.',
        examples: ['Hangzhou Jackets'],
      },
      plan: optional(plan),
      quota_override: optional(quotaOverride),
    },
    { title: 'ManagedAccountInput' },
  ),
  strict: true,
  response: object({ account, key: createdKey }, { title: 'CreatedAccount' }),
  doc: {
    id: 'createAccount',
    tag: 'Platforms',
    summary: 'Create an account',
    summaryZh: '创建账户',
    description:
      'The plan is `free` unless you choose another one. The response contains the first API key, which has all scopes and is shown only once.',
    errors: ['not_found'],
    example: {
      request: { name: EXAMPLE.name, plan: EXAMPLE.plan, quota_override: EXAMPLE.quota_override },
      response: { account: EXAMPLE, key: EXAMPLE_NEW_KEY },
    },
  },
});

export const readAccount = defineOperation({
  ...COMMON,
  method: 'get',
  path: '/operator/accounts/:id',
  repeat: 'safe',
  input: 'params',
  request: accountById,
  response: accountWithQuota,
  doc: {
    id: 'readAccount',
    tag: 'Platforms',
    summary: 'Read an account',
    summaryZh: '读取账户',
    errors: ['not_found'],
    example: { response: EXAMPLE_DETAIL },
  },
});

export const changeAccount = defineOperation({
  ...COMMON,
  method: 'patch',
  path: '/operator/accounts/:id',
  repeat: 'safe',
  input: 'body',
  request: object(
    { id: accountId, plan: optional(plan), quota_override: optional(quotaOverride) },
    { title: 'ManagedAccountChange' },
  ),
  strict: true,
  response: account,
  doc: {
    id: 'changeAccount',
    tag: 'Platforms',
    summary: 'Change the plan or quota of an account',
    summaryZh: '修改账户的套餐或配额',
    description: 'Fields that you omit stay as they are.',
    errors: ['not_found'],
    example: { request: { plan: 'pro', quota_override: 25_000 }, response: EXAMPLE },
  },
});

export const disableAccount = defineOperation({
  ...COMMON,
  method: 'post',
  path: '/operator/accounts/:id/disable',
  repeat: 'safe',
  input: 'params',
  request: accountById,
  response: account,
  doc: {
    id: 'disableAccount',
    tag: 'Platforms',
    summary: 'Disable an account',
    summaryZh: '停用账户',
    description: 'Its keys are rejected within a second. Its parcels are still checked and pushed.',
    errors: ['not_found'],
    example: { response: { ...EXAMPLE, status: 'disabled', disabled_at: '2026-03-04T09:15:00Z' } },
  },
});

export const enableAccount = defineOperation({
  ...COMMON,
  method: 'post',
  path: '/operator/accounts/:id/enable',
  repeat: 'safe',
  input: 'params',
  request: accountById,
  response: account,
  doc: {
    id: 'enableAccount',
    tag: 'Platforms',
    summary: 'Enable an account',
    summaryZh: '启用账户',
    description: 'Its keys are accepted again within a second.',
    errors: ['not_found', 'conflict'],
    conflict: {
      when: 'The account is being deleted, or the `Idempotency-Key` is in use.',
      message: message('account_being_deleted', { name: EXAMPLE.name, account: EXAMPLE.id }),
    },
    example: { response: EXAMPLE },
  },
});

export const correctQuota = defineOperation({
  ...COMMON,
  method: 'post',
  path: '/operator/accounts/:id/correct-quota',
  repeat: 'keyed',
  input: 'body',
  request: object(
    {
      id: accountId,
      give_back: optional({ ...units, description: 'The units of this month to give back.', examples: [20] }),
      charge: optional({ ...units, description: 'The units of this month to charge.', examples: [20] }),
      reason: {
        ...freeText(200),
        minLength: 1,
        description: 'The reason, for the audit log.',
        examples: ['ticket 4711'],
      },
    },
    { title: 'QuotaCorrection' },
  ),
  strict: true,
  response: accountWithQuota,
  doc: {
    id: 'correctQuota',
    tag: 'Platforms',
    summary: "Correct this month's quota of an account",
    summaryZh: '更正账户本月的配额',
    description: 'Send either `give_back` or `charge`.',
    errors: ['not_found', 'conflict'],
    conflict: {
      when: 'Fewer units are left than would be charged, or the `Idempotency-Key` is in use.',
      message: message('account_units_left', { name: EXAMPLE.name, account: EXAMPLE.id, units: 20 }),
    },
    example: { request: { give_back: 20, reason: 'ticket 4711' }, response: EXAMPLE_DETAIL },
  },
});

export const deleteAccount = defineOperation({
  ...COMMON,
  method: 'delete',
  path: '/operator/accounts/:id',
  repeat: 'once',
  input: 'query',
  request: object({
    id: accountId,
    confirm: {
      ...freeText(MAX_ACCOUNT_NAME),
      description: 'The name of the account, to confirm that it is the right one.',
      examples: [EXAMPLE.name],
    },
  }),
  status: 202,
  response: account,
  doc: {
    id: 'deleteAccount',
    tag: 'Platforms',
    summary: 'Delete an account',
    summaryZh: '删除账户',
    description:
      'Deletes a disabled account and all its data for good. The response comes at once, and the deletion runs in the background. Once it is done, the account is not found.',
    errors: ['not_found', 'conflict', 'invalid_id'],
    conflict: {
      when: 'The account is active.',
      message: message('account_active', { name: EXAMPLE.name, account: EXAMPLE.id }),
    },
    example: {
      request: { confirm: EXAMPLE.name },
      response: { ...EXAMPLE, status: 'deleting', disabled_at: '2026-03-04T09:15:00Z' },
    },
  },
});

const managedKey = object(
  { ...apiKey.properties, last_used_at: listedKey.properties.last_used_at },
  { title: 'ManagedApiKey' },
);

export const listAccountKeys = defineOperation({
  ...COMMON,
  method: 'get',
  path: '/operator/accounts/:id/keys',
  repeat: 'safe',
  input: 'params',
  request: accountById,
  response: object(
    {
      count: entryCount,
      keys: {
        type: 'array',
        items: managedKey,
        description: `The keys that are not revoked, oldest first, at most ${MAX_KEYS}.`,
      },
    },
    { title: 'ManagedApiKeyList' },
  ),
  doc: {
    id: 'listAccountKeys',
    tag: 'Platforms',
    summary: 'List the API keys of an account',
    summaryZh: '列出账户的 API 密钥',
    errors: ['not_found'],
    example: { response: { count: 1, keys: [{ ...EXAMPLE_KEY, last_used_at: '2026-03-04T09:12:00Z' }] } },
  },
});

const { test: _test, ...KEY_INPUT } = createKeyRequest.properties;

export const createAccountKey = defineOperation({
  ...COMMON,
  method: 'post',
  path: '/operator/accounts/:id/keys',
  repeat: 'keyed',
  input: 'body',
  request: {
    title: 'ManagedApiKeyInput',
    type: 'object',
    required: ['id'],
    properties: {
      id: accountId,
      ...KEY_INPUT,
      scopes: { ...KEY_INPUT.scopes, description: `${KEY_INPUT.scopes.description} Default: everything.` },
    },
  },
  strict: true,
  response: createdKey,
  doc: {
    id: 'createAccountKey',
    tag: 'Platforms',
    summary: 'Create an API key of an account',
    summaryZh: '为账户创建 API 密钥',
    description: `The response contains the key, which is shown only once. An account can have ${MAX_KEYS} keys.`,
    errors: ['not_found'],
    example: { request: { name: 'ERP', scopes: ['read', 'write'] }, response: EXAMPLE_NEW_KEY },
  },
});

export const resetAccountKeys = defineOperation({
  ...COMMON,
  method: 'post',
  path: '/operator/accounts/:id/reset-keys',
  repeat: 'keyed',
  input: 'params',
  request: accountById,
  response: createdKey,
  doc: {
    id: 'resetAccountKeys',
    tag: 'Platforms',
    summary: 'Replace all API keys of an account',
    summaryZh: '重置账户的全部 API 密钥',
    description:
      'All its keys are rejected within a second. The response contains the new key, which is shown only once.',
    errors: ['not_found'],
    example: { response: EXAMPLE_NEW_KEY },
  },
});

export const revokeAccountKey = defineOperation({
  ...COMMON,
  method: 'delete',
  path: '/operator/accounts/:id/keys/:key_id',
  repeat: 'once',
  input: 'params',
  request: object({ id: accountId, key_id: keyById.properties.id }),
  response: revokedKey,
  doc: {
    id: 'revokeAccountKey',
    tag: 'Platforms',
    summary: 'Revoke an API key of an account',
    summaryZh: '撤销账户的 API 密钥',
    description:
      'The key is rejected everywhere within a second. Even the last key with the scope `admin` can be revoked.',
    errors: ['not_found'],
    example: { response: { id: EXAMPLE_KEY.id, revoked_at: '2026-03-04T09:15:00Z' } },
  },
});
