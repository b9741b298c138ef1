import { MAX_KEYS, SCOPES } from '@pts/core/account';
import { MAX_NETWORKS } from '@pts/core/networks';
import { freeText, id, instant, instantOrNull } from '../common.ts';

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

/** POST /keys. */
export const createKeyRequest = {
  title: 'NewApiKey',
  type: 'object',
  required: ['scopes'],
  properties: {
    name: {
      ...freeText(100),
      description: 'A name for it, such as that of the system that uses it.',
      examples: ['ERP'],
    },
    scopes: { ...scopes, minItems: 1, maxItems: SCOPES.length },
    test: {
      type: 'boolean',
      description:
        'Whether it is a test key: it sees only what test keys register, whose numbers play scripted journeys, reach no carrier and cost no quota. It cannot have the scope `admin`.',
    },
    expires_at: {
      type: 'string',
      format: 'date-time',
      description: 'When it expires: RFC 3339, any time zone. Omit it for a key that does not expire.',
      examples: ['2099-01-31T00:00:00Z'],
    },
    networks: {
      ...networks,
      items: { type: 'string', maxLength: 50 },
      maxItems: MAX_NETWORKS,
      description:
        'The addresses and CIDR ranges, IPv4 and IPv6, from which it may be used. Omit it for a key that may be used from everywhere.',
    },
  },
} as const;

const KEY_FIELDS = {
  id: keyId,
  hint: { type: 'string', description: 'The first and last characters of the key.', examples: ['tk_3f1a…9f3c'] },
  name: { type: ['string', 'null'], description: 'Its name.', examples: ['ERP'] },
  test: { type: 'boolean', description: 'Whether it is a test key.' },
  scopes,
  expires_at: { ...instantOrNull, description: 'When it expires; null: never.' },
  networks,
  created_at: { ...instant, description: 'When it was created.' },
} as const;
const KEY_FIELD_NAMES = ['id', 'hint', 'name', 'test', 'scopes', 'expires_at', 'networks', 'created_at'] as const;

export const createdKey = {
  title: 'CreatedApiKey',
  type: 'object',
  description: 'A new API key. The key itself is shown only once.',
  required: ['key', ...KEY_FIELD_NAMES],
  properties: {
    key: {
      type: 'string',
      pattern: '^tk_(test_)?[0-9a-f]{48}$',
      description: 'The API key. It is shown only in this response.',
      examples: [`tk_${'3f1a9f3c'.repeat(6)}`],
    },
    ...KEY_FIELDS,
  },
} as const;

/** A key as others show it: without the key itself. */
export const apiKey = { title: 'ApiKey', type: 'object', required: KEY_FIELD_NAMES, properties: KEY_FIELDS } as const;

const listedKey = {
  title: 'ListedApiKey',
  type: 'object',
  required: [...KEY_FIELD_NAMES, 'last_used_at', 'is_current'],
  properties: {
    ...KEY_FIELDS,
    last_used_at: {
      ...instantOrNull,
      description: 'When it was last used, to within about five minutes; null: never.',
    },
    is_current: { type: 'boolean', description: 'Whether this request was sent with it.' },
  },
} as const;

export const keysResponse = {
  title: 'ApiKeyList',
  type: 'object',
  required: ['count', 'keys'],
  properties: {
    count: { type: 'integer', description: 'The number of entries.' },
    keys: { type: 'array', items: listedKey, description: `At most ${MAX_KEYS}, oldest first; without revoked ones.` },
  },
} as const;

/** DELETE /keys/{id}. */
export const keyById = { type: 'object', required: ['id'], properties: { id: keyId } } as const;

export const revokedKey = {
  title: 'RevokedApiKey',
  type: 'object',
  required: ['id', 'revoked_at'],
  properties: {
    id: keyId,
    revoked_at: { ...instant, description: 'When it was revoked. It is refused everywhere within a second.' },
  },
} as const;
