import { limitOf } from '@pts/contract/common';
import * as contract from '@pts/contract/operator';
import { SCOPES } from '@pts/core/account';
import { nothingToChange, refusedField } from '@pts/core/errors';
import { message } from '@pts/core/languages/message';
import { toUtcSeconds } from '@pts/core/time';
import { type ListedAccount, listAccounts as list, listKeys } from '@pts/db/accounts/accounts';
import * as service from '@pts/service/accounts';
import type { ApiDeps } from '../deps.ts';
import { pageOf } from '../http/answers.ts';
import { operatorActor } from '../http/call.ts';
import { operatorOperation } from '../http/operation.ts';
import { viewCreatedKey, viewKey } from './account.ts';

const viewAccount = ({ quotas }: ApiDeps, account: ListedAccount) => service.viewAccount(account, quotas);

async function withQuota(deps: ApiDeps, account: ListedAccount) {
  const { used, remaining, resetsAt } = await service.readQuota(deps, account);
  return {
    ...viewAccount(deps, account),
    quota_used: used,
    quota_remaining: remaining,
    resets_at: toUtcSeconds(resetsAt),
  };
}

/** GET /operator/accounts */
export const listAccounts = operatorOperation(contract.listAccounts, {
  async run(deps, _caller, { limit: wanted, cursor: after }) {
    const limit = limitOf(wanted);
    const { page, last } = pageOf(await list(deps.db, { after, limit: limit + 1 }), limit);
    return { accounts: page.map((account) => viewAccount(deps, account)), next_cursor: last?.id ?? null };
  },
});

/** POST /operator/accounts */
export const createAccount = operatorOperation(contract.createAccount, {
  async run(deps, { key: by, ip }, { name, plan = 'free', quota_override = null }) {
    const { account, key } = await service.createAccount(
      deps,
      { name, plan, quotaOverride: quota_override },
      {
        actor: operatorActor(by),
        action: 'POST /operator/accounts',
        details: { plan, quota_override, operator_key: by.id, ip },
      },
    );
    return { account: viewAccount(deps, account), key: viewCreatedKey(key, false) };
  },
});

/** GET /operator/accounts/{id} */
export const readAccount = operatorOperation(contract.readAccount, {
  run: async (deps, _caller, { id }) => withQuota(deps, await service.getAccount(deps.db, id)),
});

/** PATCH /operator/accounts/{id} */
export const changeAccount = operatorOperation(contract.changeAccount, {
  async run(deps, _caller, { id, plan, quota_override: quotaOverride }) {
    const change = { ...(plan && { plan }), ...(quotaOverride !== undefined && { quotaOverride }) };
    if (Object.keys(change).length === 0) throw nothingToChange(['plan', 'quota_override']);
    return viewAccount(deps, await service.changeAccount(deps.db, id, change));
  },
});

/** POST /operator/accounts/{id}/disable */
export const disableAccount = operatorOperation(contract.disableAccount, {
  run: async (deps, _caller, { id }) => viewAccount(deps, await service.disableAccount(deps, id)),
});

/** POST /operator/accounts/{id}/enable */
export const enableAccount = operatorOperation(contract.enableAccount, {
  run: async (deps, _caller, { id }) => viewAccount(deps, await service.enableAccount(deps.db, id)),
});

/** POST /operator/accounts/{id}/correct-quota */
export const correctQuota = operatorOperation(contract.correctQuota, {
  async run(deps, _caller, { id, give_back: back, charge }) {
    if ((back === undefined) === (charge === undefined))
      throw refusedField('charge', message('field.charge_or_give_back'));
    const account = await service.getAccount(deps.db, id);
    await service.correctQuota(deps, account, back === undefined ? (charge ?? 0) : -back);
    return withQuota(deps, account);
  },
});

/** DELETE /operator/accounts/{id} */
export const deleteAccount = operatorOperation(contract.deleteAccount, {
  run: async (deps, _caller, { id, confirm }) =>
    viewAccount(deps, await service.deleteAccount(deps.db, id, confirm, deps.now())),
});

/** GET /operator/accounts/{id}/keys */
export const listAccountKeys = operatorOperation(contract.listAccountKeys, {
  async run({ db }, _caller, { id }) {
    await service.getAccount(db, id);
    const keys = (await listKeys(db, id)).map((key) => ({
      ...viewKey(key, key.isTest),
      last_used_at: key.lastUsedAt && toUtcSeconds(key.lastUsedAt),
    }));
    return { count: keys.length, keys };
  },
});

/** POST /operator/accounts/{id}/keys */
export const createAccountKey = operatorOperation(contract.createAccountKey, {
  async run(deps, _caller, { id, scopes = [...SCOPES], ...wanted }) {
    const account = await service.getAccount(deps.db, id);
    return viewCreatedKey(await service.addKey(deps, account, { ...wanted, scopes }), account.testOf !== null);
  },
});

/** POST /operator/accounts/{id}/reset-keys */
export const resetAccountKeys = operatorOperation(contract.resetAccountKeys, {
  async run(deps, _caller, { id }) {
    const account = await service.getAccount(deps.db, id);
    return viewCreatedKey(await service.resetKeys(deps, account), account.testOf !== null);
  },
});

/** DELETE /operator/accounts/{id}/keys/{key_id} */
export const revokeAccountKey = operatorOperation(contract.revokeAccountKey, {
  async run(deps, _caller, { id: accountId, key_id: id }) {
    await service.getAccount(deps.db, accountId);
    return { id, revoked_at: toUtcSeconds(await service.withdrawKey(deps, { id, accountId })) };
  },
});
