import * as contract from '@pts/contract/account';
import { limitOf } from '@pts/contract/common';
import * as noticesContract from '@pts/contract/notices';
import { attentionDays, changedAttention } from '@pts/core/attention';
import { nothingToChange } from '@pts/core/errors';
import { toUtcSeconds } from '@pts/core/time';
import { INCLUDE_NAMES } from '@pts/core/tracking/fields';
import { viewAccountNotice } from '@pts/core/webhook/push';
import {
  type Account,
  findAccount,
  type Key,
  listKeys as list,
  updateAccount as updateAccountFields,
} from '@pts/db/accounts/accounts';
import { findMember } from '@pts/db/accounts/members';
import { listNotices as findNotices } from '@pts/db/notices';
import { createKey as create, type NewKey, readQuota, revokeKey as revoke } from '@pts/service/accounts';
import type { ApiDeps } from '../deps.ts';
import { pageOf } from '../http/answers.ts';
import { operation } from '../http/operation.ts';

/** GET /auth/me */
export const getMe = operation(contract.getMe, {
  async run({ db, hasTestMode }, { account: { id, name, plan, testOf }, key }) {
    const member = key.memberId === null ? null : await findMember(db, id, key.memberId);
    return {
      account_id: id,
      name,
      plan,
      key: viewKey(key, testOf !== null),
      ...(member && { member: { id: member.id, email: member.email, name: member.name, role: member.role } }),
      status: 'active' as const,
      test_keys: hasTestMode,
    };
  },
});

/** GET /account */
export const getAccount = operation(contract.getAccount, {
  run: (deps, { account }) => viewAccount(deps, account),
});

/** PATCH /account */
export const updateAccount = operation(contract.updateAccount, {
  async run(deps, { account }, { include, lang, attention }) {
    // The account of the key may be a second old.
    const current = () => findAccount(deps.db, account.id);
    const change = {
      ...(include && { include: INCLUDE_NAMES.filter((name) => include.includes(name)) }),
      ...(lang !== undefined && { language: lang === '' ? null : lang }),
      ...(attention && { attention: changedAttention((await current())?.attention ?? null, attention) }),
    };
    if (Object.keys(change).length === 0) throw nothingToChange(Object.keys(contract.accountChange.properties));
    const changed = await deps.db.$transaction(async (tx) => {
      await deps.audit?.(tx, { fields: Object.keys(change).join(', ') });
      return updateAccountFields(tx, account.id, change);
    });
    return viewAccount(deps, changed ?? account);
  },
});

async function viewAccount(deps: ApiDeps, account: Account) {
  const quota = await readQuota(deps, account);
  const { include, language, attention } = account;
  return {
    plan: account.plan,
    quota_limit: quota.limit,
    quota_used: quota.used,
    quota_remaining: quota.remaining,
    period_start: toUtcSeconds(quota.startsAt),
    resets_at: toUtcSeconds(quota.resetsAt),
    ...(include.length > 0 && { include: [...include] }),
    ...(language && { lang: language }),
    ...(attention && { attention: { events: attention.events ?? false, days: attentionDays(attention) } }),
  };
}

/** POST /keys */
export const createKey = operation(contract.createKey, {
  async run(deps, caller, wanted) {
    const key = await create(deps, caller, wanted);
    return viewCreatedKey(key, caller.account.testOf !== null || wanted.test === true);
  },
});

/** GET /keys */
export const listKeys = operation(contract.listKeys, {
  async run({ db }, { account, key: own }) {
    const keys = (await list(db, account.id)).map((key) => ({
      ...viewKey(key, key.isTest),
      last_used_at: key.lastUsedAt && toUtcSeconds(key.lastUsedAt),
      is_current: key.id === own.id,
    }));
    return { count: keys.length, keys };
  },
});

/** DELETE /keys/{id} */
export const revokeKey = operation(contract.revokeKey, {
  async run(deps, { account }, { id }) {
    return { id, revoked_at: toUtcSeconds(await revoke(deps, { accountId: account.id, id })) };
  },
});

/** A new key, which is shown only here. */
export function viewCreatedKey({ apiKey, ...key }: NewKey, isTest: boolean) {
  return { key: apiKey, ...viewKey(key, isTest) };
}

/** A key without the key itself. */
export function viewKey(
  { id, hint, name, scopes, expiresAt, networks, createdAt }: Omit<Key, 'lastUsedAt' | 'memberId'>,
  isTest: boolean,
) {
  return {
    id,
    hint,
    name,
    test: isTest,
    scopes: [...scopes],
    expires_at: expiresAt && toUtcSeconds(expiresAt),
    networks: [...networks],
    created_at: toUtcSeconds(createdAt),
  };
}

/** GET /account/notices */
export const listNotices = operation(noticesContract.listNotices, {
  async run({ db }, { account, language }, { limit: limitText, before }) {
    const limit = limitOf(limitText);
    const { page, last } = pageOf(await findNotices(db, { accountId: account.id, before, limit: limit + 1 }), limit);
    const texts = language ?? account.language ?? 'en';
    return {
      count: page.length,
      notices: page.map((notice) => viewAccountNotice(notice, texts)),
      next_before: last?.id ?? null,
    };
  },
});
