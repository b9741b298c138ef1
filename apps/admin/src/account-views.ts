import { type Plan, quotaLimit } from '@pts/core/account/plan';
import { toUtcSeconds } from '@pts/core/time';
import type { Account, listKeys } from '@pts/db/accounts/accounts';
import type { NewKey } from '@pts/service/accounts/key';

type Quotas = Record<Plan, number>;
type Key = Awaited<ReturnType<typeof listKeys>>[number];

/** An account as JSON. */
export function viewAccount({ id, name, plan, quotaOverride, disabledAt, createdAt }: Account, quotas: Quotas) {
  return {
    id,
    name,
    plan,
    status: disabledAt ? 'disabled' : 'active',
    quota_limit: quotaLimit(plan, quotaOverride, quotas),
    quota_override: quotaOverride,
    disabled_at: disabledAt && toUtcSeconds(disabledAt),
    created_at: toUtcSeconds(createdAt),
  };
}

/** An account as text: rows of a name and a value. */
export function accountRows(account: Account, quotas: Quotas): [string, string][] {
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

export function viewKey({ id, hint, createdAt, revokedAt }: Key) {
  return { id, hint, created_at: toUtcSeconds(createdAt), revoked_at: revokedAt && toUtcSeconds(revokedAt) };
}

/** A new key, which is shown only here. */
export function viewNewKey({ keyId, apiKey, hint }: NewKey) {
  return { id: keyId, api_key: apiKey, hint };
}

export function newKeyRows({ keyId, apiKey }: NewKey): [string, string][] {
  return [
    ['Key', keyId],
    ['API key', apiKey],
  ];
}

export const SHOWN_ONCE = 'The API key is shown only once. Store it now.';
