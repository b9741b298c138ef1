import type { Fault } from '../faults.ts';
import { parseInstant, toUtcSeconds } from '../time.ts';
import { isWithinNetworks, toNetwork } from './networks.ts';
import { SCOPES, type Scope } from './scopes.ts';

/** What a key may do, until when and from where. */
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
      network === null
        ? invalid(`networks.${index}`, 'must be an address or a CIDR range, such as 203.0.113.0/24')
        : [],
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
  if (expiresAt === null)
    return invalid('expires_at', 'must be a time with a time zone (RFC 3339), such as 2027-01-31T00:00:00Z');
  return expiresAt > now ? [] : invalid('expires_at', 'must be in the future');
}

/** What a new key could do that the key which creates it cannot. */
export function excessOf(wanted: KeyGrant, own: Omit<KeyGrant, 'name'>): Fault[] {
  const lacking = wanted.scopes.filter((scope) => !own.scopes.includes(scope));
  const isLonger = own.expiresAt !== null && (wanted.expiresAt === null || wanted.expiresAt > own.expiresAt);
  const isWider =
    own.networks.length > 0 &&
    (wanted.networks.length === 0 || wanted.networks.some((network) => !isWithinNetworks(network, own.networks)));
  return [
    ...(lacking.length > 0
      ? invalid('scopes', `must not have more than the key that creates it, which lacks ${lacking.join(' and ')}`)
      : []),
    ...(isLonger && own.expiresAt
      ? invalid('expires_at', `must not be after ${toUtcSeconds(own.expiresAt)}, when the key that creates it expires`)
      : []),
    ...(isWider
      ? invalid('networks', `must lie within those of the key that creates it: ${own.networks.join(', ')}`)
      : []),
  ];
}

function invalid(field: string, message: string): Fault[] {
  return [{ field, message, error: 'invalid_field' }];
}
