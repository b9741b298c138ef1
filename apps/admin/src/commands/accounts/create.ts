import { columns } from '@pts/core/text/align-columns';
import { createAccount } from '@pts/service/accounts';
import { databaseCommand } from '../../command-line/database-command.ts';
import { readName } from '../../command-line/read-name.ts';
import { accountRows, newKeyRows, SHOWN_ONCE, viewAccount, viewNewKey } from '../../records/account-views.ts';
import { readPlan, readUnits } from '../../records/accounts.ts';

export const accountsCreate = databaseCommand({
  name: 'accounts create',
  audited: 'after',
  personal: ['name'],
  takes: [],
  options: {
    name: { value: 'NAME', about: 'name of the account', required: true },
    plan: { value: 'PLAN', about: 'free, pro or enterprise (default: free)' },
    quota: { value: 'N', about: 'monthly quota, instead of the quota of the plan' },
  },
  about: 'Create an account and its first API key. The key is shown only once.',
  async run(deps, { name, plan, quota }) {
    const { quotas } = deps;
    const { account, key } = await createAccount(deps, {
      name: readName(name, 200),
      plan: readPlan(plan ?? 'free'),
      quotaOverride: quota === undefined ? null : readUnits(quota),
    });
    return {
      lines: [...columns([...accountRows(account, quotas), ...newKeyRows(key)]), '', SHOWN_ONCE],
      json: { account: viewAccount(account, quotas), key: viewNewKey(key) },
      accountIds: [account.id],
    };
  },
});
