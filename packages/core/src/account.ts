import { createHash } from 'node:crypto';
import { type Fault, invalidField } from './errors.ts';
import { joined, message } from './languages/message.ts';
import { isWithinNetworks, toNetwork } from './networks.ts';
import { parseInstant, toUtcSeconds } from './time.ts';

/**
 * `tk_` and 48 lowercase hex characters (spec section 5, rule 2); a test key has `test_` between them, and the token of
 * a person's session `session_`.
 */
export const API_KEY_PATTERN = /^tk_(?:test_|session_)?[0-9a-f]{48}$/;

/** The use of a key: programs, test mode, or a person who is signed in. */
export type KeyKind = 'live' | 'test' | 'session';
const PREFIXES: Readonly<Record<KeyKind, string>> = { live: 'tk_', test: 'tk_test_', session: 'tk_session_' };

/** A new API key from 24 random bytes. */
export function newApiKey(random: Uint8Array, kind: KeyKind = 'live'): string {
  return `${PREFIXES[kind]}${Buffer.from(random.subarray(0, 24)).toString('hex')}`;
}

/** Whether a key has the form of the token of a person's session. */
export function isSessionToken(key: string): boolean {
  return key.startsWith(PREFIXES.session);
}

/** `otk_` and 48 lowercase hex characters: by its prefix, an operator's key differs from those of accounts. */
export const OPERATOR_KEY_PATTERN = /^otk_[0-9a-f]{48}$/;

/** A new operator's key from 24 random bytes. */
export function newOperatorKey(random: Uint8Array): string {
  return `otk_${Buffer.from(random.subarray(0, 24)).toString('hex')}`;
}

/** The stored form of a key. Keys are random, so a plain SHA-256 cannot be reversed by guessing. */
export function hashApiKey(key: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(createHash('sha256').update(key).digest());
}

/** The part of a key that can be shown later: its first and last characters. */
export function keyHint(key: string): string {
  return `${key.slice(0, key.lastIndexOf('_') + 5)}…${key.slice(-4)}`;
}

/** New parcels per UTC month of a test account, which cost nothing. */
export const TEST_QUOTA = 10_000;

/** The maximum number of keys of an account that are not revoked. */
export const MAX_KEYS = 100;

/** The permissions that a key can have. Each operation needs one of them, or none. */
export const SCOPES = ['read', 'write', 'webhooks', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** The roles of members: each has the scopes of a key. */
export const ROLES = {
  viewer: ['read'],
  editor: ['read', 'write'],
  developer: ['read', 'write', 'webhooks'],
  admin: SCOPES,
} as const satisfies Record<string, readonly Scope[]>;
export type Role = keyof typeof ROLES;
export const ROLE_NAMES = Object.keys(ROLES) as Role[];

/** How long a person is signed in, and the maximum number of members of an account. */
export const SESSION_HOURS = 12;
export const MAX_MEMBERS = 200;

/** An e-mail address as it is compared: without spaces around it, in lower case. Null: it is none. */
export function normalEmail(text: string): string | null {
  const email = text.trim().toLowerCase();
  return email.length <= 254 && /^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/.test(email) ? email : null;
}

/** The plans (spec section 8) and their default units per month. */
export const PLAN_QUOTAS = { free: 100, pro: 10_000, enterprise: 1_000_000 } as const;
export type Plan = keyof typeof PLAN_QUOTAS;
export const PLANS = Object.keys(PLAN_QUOTAS) as Plan[];

export function isPlan(value: string): value is Plan {
  return Object.hasOwn(PLAN_QUOTAS, value);
}

/** The maximum quota: PostgreSQL's integer. */
export const MAX_UNITS = 2_147_483_647;

/** The longest names, in characters. */
export const MAX_ACCOUNT_NAME = 200;
export const MAX_KEY_NAME = 100;

/** The monthly quota of an account: its own if it has one, otherwise that of its plan. */
export function quotaLimit(plan: Plan, override: number | null, quotas: Record<Plan, number> = PLAN_QUOTAS): number {
  return override ?? quotas[plan];
}

/** The remaining quota; never below zero, even after the limit was lowered. */
export function remaining(limit: number, used: number): number {
  return Math.max(0, limit - used);
}

/** The permissions of a key, until when they hold and from where. */
export type KeyGrant = {
  name: string | null;
  scopes: readonly Scope[];
  /** Null: it does not expire. */
  expiresAt: Date | null;
  /** In the form of `toNetwork`. Empty: from everywhere. */
  networks: readonly string[];
};

/** Everything, from everywhere, without an end. */
export const FULL_GRANT: KeyGrant = { name: null, scopes: SCOPES, expiresAt: null, networks: [] };

/** A key as a user asks for it. */
export type WantedKey = {
  name?: string | undefined;
  scopes: readonly Scope[];
  /** RFC 3339. */
  expires_at?: string | undefined;
  networks?: readonly string[] | undefined;
  /** Whether it is a key of the test account. */
  test?: boolean | undefined;
};

/** Reads what a key should be. @returns its faults instead, if it has any. */
export function readGrant(wanted: WantedKey, now: Date): KeyGrant | { faults: Fault[] } {
  const { name, scopes, expires_at: expires, networks: given = [] } = wanted;
  const networks = given.map(toNetwork);
  const expiresAt = expires === undefined ? null : parseInstant(expires);
  const faults = [
    ...networks.flatMap((network, index) =>
      network === null ? invalidField(`networks.${index}`, message('field.network')) : [],
    ),
    ...(expires === undefined ? [] : expiryFaults(expiresAt, now)),
  ];
  if (faults.length > 0) return { faults };
  return {
    name: name?.trim() || null,
    scopes: [...new Set(scopes)],
    expiresAt,
    networks: [...new Set(networks.flatMap((network) => network ?? []))],
  };
}

function expiryFaults(expiresAt: Date | null, now: Date): Fault[] {
  if (expiresAt === null) return [invalidField('expires_at', message('field.expiry'))];
  return expiresAt > now ? [] : [invalidField('expires_at', message('field.future'))];
}

/** The faults of a new key that could do what the key which creates it cannot. */
export function excessOf(wanted: KeyGrant, own: Omit<KeyGrant, 'name'>): Fault[] {
  const lacking = wanted.scopes.filter((scope) => !own.scopes.includes(scope));
  const isLonger = own.expiresAt !== null && (wanted.expiresAt === null || wanted.expiresAt > own.expiresAt);
  const isWider =
    own.networks.length > 0 &&
    (wanted.networks.length === 0 || wanted.networks.some((network) => !isWithinNetworks(network, own.networks)));
  return [
    ...(lacking.length > 0
      ? [invalidField('scopes', message('field.excess_scopes', { scopes: joined('and', lacking) }))]
      : []),
    ...(isLonger && own.expiresAt
      ? [invalidField('expires_at', message('field.excess_expiry', { time: toUtcSeconds(own.expiresAt) }))]
      : []),
    ...(isWider ? [invalidField('networks', message('field.excess_networks', { networks: own.networks }))] : []),
  ];
}
