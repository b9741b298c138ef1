import { MAX_KEY_NAME, MAX_KEYS, PLANS, ROLE_NAMES, SCOPES, TEST_QUOTA } from '@pts/core/account';
import { ATTENTION_DAYS, type AttentionDays, MAX_ATTENTION_DAYS, MIN_ATTENTION_DAYS } from '@pts/core/attention';
import { message } from '@pts/core/languages/message';
import { LANGUAGES } from '@pts/core/languages/texts';
import { MAX_NETWORKS } from '@pts/core/networks';
import { freeText, INCLUDE_NAMES } from '@pts/core/tracking/fields';
import { ANY_CHANGE, documentedWith, entryCount, INCLUDED, id, instant, instantOrNull } from './common.ts';
import { defineOperation, NO_INPUT } from './operation.ts';
import { object, optional } from './schema.ts';

export const plan = { title: 'Plan', type: 'string', enum: PLANS, description: "The account's plan." } as const;

const included = {
  type: 'array',
  items: { title: 'Include', type: 'string', enum: INCLUDE_NAMES, description: INCLUDED },
  description: 'The groups of optional fields in responses, pushes and events of the account.',
  examples: [['problem', 'milestones']],
} as const;
const pushLanguage = {
  title: 'PushLanguage',
  type: 'string',
  enum: LANGUAGES,
  description: 'The language of texts in pushes and events, such as `problem_text`.',
  examples: ['de'],
} as const;

const WAITS: Readonly<Record<keyof AttentionDays, string>> = {
  pending: 'in which the carrier does not know the number',
  info_received: 'without news while the carrier has only been announced the parcel',
  in_transit: 'without news in transit',
  out_for_delivery: 'without news while it is out for delivery',
  available_for_pickup: 'in which the recipient has not picked it up',
};

function daysOf(state: keyof AttentionDays) {
  return {
    type: 'integer',
    minimum: MIN_ATTENTION_DAYS[state],
    maximum: MAX_ATTENTION_DAYS,
    description: `Days ${WAITS[state]}. Default: ${ATTENTION_DAYS[state]}.`,
    examples: [ATTENTION_DAYS[state]],
  } as const;
}

const attention = {
  title: 'AttentionSettings',
  type: 'object',
  additionalProperties: false,
  description:
    'When parcels need attention (`GET /attention`, `needs_attention`, `tracking_attention` events), and whether that causes events.',
  properties: {
    events: {
      type: 'boolean',
      description:
        'If true, `GET /events` includes `tracking_attention` events even if no webhook subscribes to them. Parcels that already needed attention cause no event. Default: false.',
    },
    days: {
      title: 'AttentionDays',
      type: 'object',
      additionalProperties: false,
      description: 'The number of days in a state after which a parcel needs attention.',
      properties: {
        pending: daysOf('pending'),
        info_received: daysOf('info_received'),
        in_transit: daysOf('in_transit'),
        out_for_delivery: daysOf('out_for_delivery'),
        available_for_pickup: daysOf('available_for_pickup'),
      },
    },
  },
} as const;

const keyId = { ...id, description: 'The id of the key.' } as const;
const scopes = {
  type: 'array',
  items: { title: 'Scope', type: 'string', enum: SCOPES, description: 'A permission of the key.' },
  description: 'What the key is allowed to do. Each operation states the scope that it needs.',
  examples: [['read', 'write']],
} as const;
const networks = {
  type: 'array',
  items: { type: 'string' },
  description: 'The networks from which the key can be used, in CIDR notation. Empty if there is no restriction.',
  examples: [['203.0.113.0/24', '2001:db8:40::/48']],
} as const;

const BYTE = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const IPV4 = `${BYTE}([.]${BYTE}){3}`;
const GROUP = '[0-9A-Fa-f]{1,4}';
/** One pair of colons may stand for groups of zeros. */
const SHORTENED = [1, 2, 3, 4, 5, 6].map((groups) => `(${GROUP}:){1,${7 - groups}}(:${GROUP}){1,${groups}}`);
const IPV6 = [
  `(${GROUP}:){7}${GROUP}`,
  `(${GROUP}:){1,7}:`,
  ...SHORTENED,
  `:(:${GROUP}){1,7}`,
  '::',
  `::(ffff:)?${IPV4}`,
].join('|');
const NETWORK = `^(${IPV4}(/(3[0-2]|[12]?[0-9]))?|(${IPV6})(/(12[0-8]|1[01][0-9]|[1-9]?[0-9]))?)$`;

/** POST /keys. */
export const createKeyRequest = object(
  {
    name: optional({
      ...freeText(MAX_KEY_NAME),
      description: 'A name for the key, such as the system that uses it.',
      examples: ['ERP'],
    }),
    scopes: { ...scopes, minItems: 1, maxItems: SCOPES.length },
    test: optional({
      type: 'boolean',
      description:
        'Whether it is a test key. A test key sees only parcels registered with test keys, which follow scripted journeys, never reach a carrier and use no quota. It cannot have the scope `admin`.',
    }),
    expires_at: optional({
      type: 'string',
      format: 'date-time',
      description: 'When the key expires (RFC 3339, any time zone). Omit it for a key that does not expire.',
      examples: ['2099-01-31T00:00:00Z'],
    }),
    networks: optional({
      ...networks,
      items: documentedWith({ type: 'string', maxLength: 50 }, { pattern: NETWORK }),
      maxItems: MAX_NETWORKS,
      description:
        'The IPv4 and IPv6 addresses and CIDR ranges from which the key can be used. Omit it for a key without such a restriction.',
    }),
  },
  { title: 'ApiKeyInput' },
);

/** A key as others show it: without the key itself. */
export const apiKey = object(
  {
    id: keyId,
    hint: { type: 'string', description: 'The first and last characters of the key.', examples: ['tk_3f1a…9f3c'] },
    name: { type: ['string', 'null'], description: 'Its name.', examples: ['ERP'] },
    test: { type: 'boolean', description: 'Whether it is a test key.' },
    scopes,
    expires_at: { ...instantOrNull, description: 'When the key expires; null if it does not.' },
    networks,
    created_at: { ...instant, description: 'When it was created.' },
  },
  { title: 'ApiKey' },
);

export const createdKey = object(
  {
    key: {
      type: 'string',
      pattern: '^tk_(test_)?[0-9a-f]{48}$',
      description: 'The API key. It is shown only in this response.',
      examples: [`tk_${'3f1a9f3c'.repeat(6)}`],
    },
    ...apiKey.properties,
  },
  { title: 'CreatedApiKey', description: 'A new API key. The key itself is shown only once.' },
);

export const listedKey = object(
  {
    ...apiKey.properties,
    last_used_at: {
      ...instantOrNull,
      description: 'When the key was last used, accurate to about five minutes; null if it was never used.',
    },
    is_current: { type: 'boolean', description: 'Whether this request was sent with this key.' },
  },
  { title: 'ListedApiKey' },
);

/** DELETE /keys/{id}. */
export const keyById = object({ id: keyId });

export const revokedKey = object(
  {
    id: keyId,
    revoked_at: { ...instant, description: 'When the key was revoked. It is rejected everywhere within a second.' },
  },
  { title: 'RevokedApiKey' },
);

/** GET /auth/me: the account of the key. */
export const meResponse = object(
  {
    account_id: { ...id, description: 'The id of the account.' },
    name: { type: 'string', description: 'The name of the account.', examples: ['merchant'] },
    plan,
    key: { ...apiKey, description: 'The key that was sent.' },
    member: optional(
      object(
        {
          id: { ...id, description: 'The id of the member.' },
          email: { type: 'string', description: 'The e-mail address.', examples: ['alice@example.com'] },
          name: { type: ['string', 'null'], description: 'The name.', examples: ['Alice Example'] },
          role: { title: 'MemberRole', type: 'string', enum: ROLE_NAMES, description: 'The role of the member.' },
        },
        {
          title: 'CurrentMember',
          description: 'The person who is signed in, if the key belongs to a session in the console.',
        },
      ),
    ),
    status: {
      title: 'AccountStatus',
      type: 'string',
      enum: ['active'],
      description: 'Always `active`, because a disabled account is rejected with 401.',
    },
    test_keys: { type: 'boolean', description: 'Whether this installation has test keys (`test` in `POST /keys`).' },
  },
  { title: 'Me' },
);

/** GET /account: the quota of the current UTC month. */
export const accountResponse = object(
  {
    plan,
    quota_limit: { type: 'integer', description: 'Units in this month.', examples: [10000] },
    quota_used: { type: 'integer', description: 'Units used: one for each new tracking.', examples: [42] },
    quota_remaining: { type: 'integer', minimum: 0, description: 'Units left.', examples: [9958] },
    period_start: { ...instant, description: 'The start of this month, in UTC.' },
    resets_at: { ...instant, description: 'The start of the next month, in UTC, when the quota resets.' },
    include: optional({ ...included, description: `${included.description} Absent if none are chosen.` }),
    lang: optional({ ...pushLanguage, description: `${pushLanguage.description} Absent if none is chosen.` }),
    attention: optional({
      ...attention,
      description: `${attention.description} Absent if all settings have their defaults.`,
    }),
  },
  { title: 'Account' },
);

/** PATCH /account. */
export const accountChange = documentedWith(
  {
    title: 'AccountChange',
    type: 'object',
    properties: {
      include: { ...included, maxItems: INCLUDE_NAMES.length },
      lang: {
        ...pushLanguage,
        title: 'PushLanguageChange',
        enum: [...LANGUAGES, ''],
        description: `${pushLanguage.description} Send an empty text for no such texts.`,
      },
      attention: { ...attention, title: 'AttentionSettingsChange' },
    },
  },
  ANY_CHANGE,
);

export const getMe = defineOperation({
  method: 'get',
  path: '/auth/me',
  limit: 'account',
  repeat: 'safe',
  scope: null,
  input: null,
  request: NO_INPUT,
  response: meResponse,
  doc: {
    id: 'getMe',
    tag: 'Account',
    summary: 'Check an API key',
    summaryZh: '检查密钥',
    description:
      'Returns the account of the key. It works with every valid key. Any other status means that the key cannot be used, and `message` says why.',
    example: {
      response: {
        account_id: '6909a1b2c3d4e5f60718293a',
        name: 'Hangzhou Jackets',
        plan: 'pro',
        key: {
          id: '6909a1b2c3d4e5f607182940',
          hint: 'tk_3f1a…9f3c',
          name: 'ERP',
          test: false,
          scopes: ['read', 'write'],
          expires_at: null,
          networks: [],
          created_at: '2025-11-04T06:58:10Z',
        },
        status: 'active',
        test_keys: true,
      },
    },
  },
});

const ACCOUNT_EXAMPLE = {
  plan: 'pro',
  quota_limit: 10_000,
  quota_used: 42,
  quota_remaining: 9_958,
  period_start: '2025-11-01T00:00:00Z',
  resets_at: '2025-12-01T00:00:00Z',
};

export const getAccount = defineOperation({
  method: 'get',
  path: '/account',
  limit: 'account',
  repeat: 'safe',
  scope: 'read',
  input: null,
  request: NO_INPUT,
  response: accountResponse,
  doc: {
    id: 'getAccount',
    tag: 'Account',
    summary: 'Read the plan and the quota',
    summaryZh: '账户与配额',
    description:
      'The quota of the current month, in UTC. Registering a new number uses one unit. Reads, checks and pushes are free.',
    example: {
      response: ACCOUNT_EXAMPLE,
    },
  },
});

export const updateAccount = defineOperation({
  method: 'patch',
  path: '/account',
  limit: 'account',
  repeat: 'safe',
  scope: 'admin',
  input: 'body',
  request: accountChange,
  strict: true,
  response: accountResponse,
  doc: {
    id: 'updateAccount',
    tag: 'Account',
    summary: 'Choose optional fields, and when parcels need attention',
    summaryZh: '选择可选字段与关注条件',
    description:
      'Responses include optional fields only if `include` names their group, either in the request or here. Pushes and `GET /events` include those that were chosen here when the event occurred. Fields that you omit stay as they are, and an empty list or text clears a field. A change takes effect within a second.',
    example: {
      request: { include: ['problem', 'milestones'], lang: 'de' },
      response: {
        ...ACCOUNT_EXAMPLE,
        include: ['problem', 'milestones'],
        lang: 'de',
      },
    },
  },
});

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
    description: `The response contains the key, which is shown only once. A new key cannot exceed the key that creates it: it cannot have other scopes, a later expiry, or networks outside of that key's. An account can have ${MAX_KEYS} keys.\n\nA **test key** (\`test\`, \`tk_test_…\`) is for integrating against production. Its data is separate from the live data of the account, and live keys cannot see it. It has its own webhooks, imports, limits and ${TEST_QUOTA.toLocaleString('en')} free new parcels a month. Its numbers never reach a carrier but follow scripted journeys. \`SBXEXPRESS1\` is delivered in 20 seconds, \`SBXEXCEPTION1\` has an exception, \`SBXRETURNED1\` goes back, \`SBXNOTFOUND1\` is never found, and any other number is delivered after 45 seconds. Choose your own digits, because each number has only one journey. Pushes and events of test keys have \`"test": true\`.`,
    example: {
      request: { name: 'ERP', scopes: ['read', 'write'], expires_at: EXAMPLE.expires_at, networks: EXAMPLE.networks },
      response: { key: createdKey.properties.key.examples[0], ...EXAMPLE },
    },
  },
});

export const listKeys = defineOperation({
  method: 'get',
  path: '/keys',
  limit: 'keys',
  repeat: 'safe',
  scope: 'admin',
  input: null,
  request: NO_INPUT,
  response: object(
    {
      count: entryCount,
      keys: {
        type: 'array',
        items: listedKey,
        description: `The keys that are not revoked, oldest first, at most ${MAX_KEYS}.`,
      },
    },
    { title: 'ApiKeyList' },
  ),
  doc: {
    id: 'listKeys',
    tag: 'Keys',
    summary: 'List API keys',
    summaryZh: '列出 API 密钥',
    description: 'The keys with their scopes, networks, expiry and last use. The keys themselves are not stored.',
    example: {
      response: { count: 1, keys: [{ ...EXAMPLE, last_used_at: '2026-03-04T09:12:00Z', is_current: false }] },
    },
  },
});

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
      'The key is rejected everywhere within a second, and streams that use it end within three. The last key with the scope `admin` cannot be revoked.',
    errors: ['not_found', 'conflict'],
    conflict: {
      when: 'It is the only key of the account with the scope `admin`. Create another one first.',
      message: message('key_last_admin'),
    },
    example: { response: { id: EXAMPLE.id, revoked_at: '2026-03-04T09:15:00Z' } },
  },
});
