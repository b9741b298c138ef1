import { wholeNumber } from '@pts/client/cli/kit';
import { MAX_UNITS, type Plan, quotaLimit } from '@pts/core/account';
import { toUtcSeconds } from '@pts/core/time';
import type { Account, ListedAccount, ListedKey } from '@pts/db/accounts/accounts';
import { type NewKey, viewAccount } from '@pts/service/accounts';

/** Parses units per month, or another number that `what` names. @throws UsageError */
export function readUnits(text: string, what = 'The quota'): number {
  return wholeNumber(what, text, 0, MAX_UNITS);
}

type Quotas = Record<Plan, number>;

/** An account as text: rows of a name and a value. */
export function accountRows(account: ListedAccount, quotas: Quotas): [string, string][] {
  const { id, name, plan, status, created_at, disabled_at } = viewAccount(account, quotas);
  return [
    ['Account', id],
    ['Name', name],
    ['Plan', plan],
    ['Quota', `${describeQuota(account, quotas)} units per month`],
    ['Status', disabled_at === null ? status : `${status} since ${disabled_at}`],
    ['Created', created_at],
  ];
}

/** `10000`, or `500 (its own)` for an account with its own quota. */
export function describeQuota({ plan, quotaOverride }: Account, quotas: Quotas): string {
  return `${quotaLimit(plan, quotaOverride, quotas)}${quotaOverride === null ? '' : ' (its own)'}`;
}

/** A key of an account as JSON. */
export function viewKey(key: ListedKey) {
  const { lastUsedAt, revokedAt } = key;
  return {
    ...viewGrant(key),
    last_used_at: lastUsedAt && toUtcSeconds(lastUsedAt),
    revoked_at: revokedAt && toUtcSeconds(revokedAt),
  };
}

function viewGrant({
  id,
  hint,
  name,
  scopes,
  expiresAt,
  networks,
  createdAt,
}: Omit<ListedKey, 'lastUsedAt' | 'revokedAt' | 'isTest' | 'memberId'>) {
  return {
    id,
    hint,
    name,
    scopes,
    expires_at: expiresAt && toUtcSeconds(expiresAt),
    networks,
    created_at: toUtcSeconds(createdAt),
  };
}

/** The keys of an account as a table. */
export function keyTable(keys: readonly ListedKey[]): string[][] {
  const heading = ['KEY', 'HINT', 'NAME', 'SCOPES', 'NETWORKS', 'EXPIRES', 'CREATED', 'LAST USED', 'REVOKED'];
  const rows = keys
    .map(viewKey)
    .map((key) => [
      key.id,
      key.hint,
      key.name ?? '-',
      key.scopes.join(','),
      key.networks.join(',') || 'any',
      key.expires_at ?? 'never',
      key.created_at,
      key.last_used_at ?? '-',
      key.revoked_at ?? '-',
    ]);
  return [heading, ...rows];
}

/** A new key as JSON, which is shown only here. */
export function viewNewKey({ apiKey, ...key }: NewKey) {
  const { id, ...grant } = viewGrant(key);
  return { id, api_key: apiKey, ...grant };
}

export function newKeyRows({ id, apiKey, scopes, networks, expiresAt }: NewKey): [string, string][] {
  return [
    ['Key', id],
    ['API key', apiKey],
    ['Scopes', scopes.join(', ')],
    ...(networks.length > 0 ? [['Networks', networks.join(', ')] satisfies [string, string]] : []),
    ...(expiresAt ? [['Expires', toUtcSeconds(expiresAt)] satisfies [string, string]] : []),
  ];
}

export const SHOWN_ONCE = 'The API key is shown only once. Store it now.';
