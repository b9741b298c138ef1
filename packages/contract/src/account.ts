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
  description: 'The groups of optional fields that answers, pushes and events of the account have.',
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
    'When parcels need attention (`GET /attention`, `needs_attention`, events `tracking_attention`), and whether that causes events.',
  properties: {
    events: {
      type: 'boolean',
      description:
        'If true, `GET /events` has `tracking_attention`, even if no webhook subscribes to it. Of attention that began earlier there are no events. Default: false.',
    },
    days: {
      title: 'AttentionDays',
      type: 'object',
      additionalProperties: false,
      description: 'After how many days a parcel in a state needs attention.',
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
  items: { title: 'Scope', type: 'string', enum: SCOPES, description: 'What a key may do.' },
  description: 'What the key may do: each operation states the scope that it needs.',
  examples: [['read', 'write']],
} as const;
const networks = {
  type: 'array',
  items: { type: 'string' },
  description: 'The networks from which it may be used, in CIDR form; empty: from everywhere.',
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
      description: 'A name for it, such as that of the system that uses it.',
      examples: ['ERP'],
    }),
    scopes: { ...scopes, minItems: 1, maxItems: SCOPES.length },
    test: optional({
      type: 'boolean',
      description:
        'Whether it is a test key: it sees only what test keys register, whose numbers play scripted journeys, reach no carrier and cost no quota. It cannot have the scope `admin`.',
    }),
    expires_at: optional({
      type: 'string',
      format: 'date-time',
      description: 'When it expires: RFC 3339, any time zone. Omit it for a key that does not expire.',
      examples: ['2099-01-31T00:00:00Z'],
    }),
    networks: optional({
      ...networks,
      items: documentedWith({ type: 'string', maxLength: 50 }, { pattern: NETWORK }),
      maxItems: MAX_NETWORKS,
      description:
        'The addresses and CIDR ranges, IPv4 and IPv6, from which it may be used. Omit it for a key that may be used from everywhere.',
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
    expires_at: { ...instantOrNull, description: 'When it expires; null: never.' },
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
      description: 'When it was last used, to within about five minutes; null: never.',
    },
    is_current: { type: 'boolean', description: 'Whether this request was sent with it.' },
  },
  { title: 'ListedApiKey' },
);

/** DELETE /keys/{id}. */
export const keyById = object({ id: keyId });

export const revokedKey = object(
  {
    id: keyId,
    revoked_at: { ...instant, description: 'When it was revoked. It is refused everywhere within a second.' },
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
          role: { title: 'MemberRole', type: 'string', enum: ROLE_NAMES, description: 'What the member may do.' },
        },
        { title: 'CurrentMember', description: 'The person, if the key is that of a session in the console.' },
      ),
    ),
    status: {
      title: 'AccountStatus',
      type: 'string',
      enum: ['active'],
      description: 'Always `active`: a disabled account is refused with 401.',
    },
    test_keys: { type: 'boolean', description: 'Whether this installation has test keys: `test` in `POST /keys`.' },
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
    resets_at: { ...instant, description: 'The start of the next month, in UTC: the quota is full again.' },
    include: optional({ ...included, description: `${included.description} Absent if there are none.` }),
    lang: optional({ ...pushLanguage, description: `${pushLanguage.description} Absent if none is chosen.` }),
    attention: optional({
      ...attention,
      description: `${attention.description} Absent if everything is as by default.`,
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
        description: `${pushLanguage.description} Empty: none.`,
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
      'Returns the account of the key. Any key may ask. Any other status means that the key cannot be used; `message` says why.',
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
      'The quota of the current month, in UTC. Registering a new number uses one unit; reads, checks and pushes are free.',
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
      'Optional fields are in answers only if `include` names their group: that of the request, or this one. Pushes and `GET /events` have those that were chosen here when the event occurred. Omitted fields stay; an empty list or text clears. A choice holds within a second.',
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
    description: `The response contains the key; it is not shown again. A new key has no more than the one that creates it: no other scopes, no later end, and no networks outside of its own. An account can have ${MAX_KEYS} keys.\n\nA **test key** (\`test\`, \`tk_test_…\`) is for integrating against production. What it registers is apart from everything else of the account: live keys do not see it, nor the reverse, and it has its own webhooks, imports, limits and ${TEST_QUOTA.toLocaleString('en')} new parcels a month, which cost nothing. Its numbers never reach a carrier: they play scripted journeys. \`SBXEXPRESS1\` is delivered in 20 seconds, \`SBXEXCEPTION1\` has an exception, \`SBXRETURNED1\` goes back, \`SBXNOTFOUND1\` is never found, and any other number is delivered after 45 seconds; choose your own digits, because a number has one journey. Its pushes and events have \`"test": true\`.`,
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
        description: `At most ${MAX_KEYS}, oldest first; without revoked ones.`,
      },
    },
    { title: 'ApiKeyList' },
  ),
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
      message: message('key_last_admin'),
    },
    example: { response: { id: EXAMPLE.id, revoked_at: '2026-03-04T09:15:00Z' } },
  },
});
