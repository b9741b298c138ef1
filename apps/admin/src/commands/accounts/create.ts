import { createAccount } from '@pts/service/accounts/create';
import { accountRows, newKeyRows, SHOWN_ONCE, viewAccount, viewNewKey } from '../../account-views.ts';
import { readPlan, readUnits } from '../../accounts.ts';
import { databaseCommand } from '../../database-command.ts';
import { UsageError } from '../../problem.ts';
import { columns } from '../../text.ts';

export const accountsCreate = databaseCommand({
  name: 'accounts create',
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
      name: readName(name),
      plan: readPlan(plan ?? 'free'),
      quotaOverride: quota === undefined ? null : readUnits(quota),
    });
    return {
      lines: [...columns([...accountRows(account, quotas), ...newKeyRows(key)]), '', SHOWN_ONCE],
      json: { account: viewAccount(account, quotas), key: viewNewKey(key) },
    };
  },
});

/** Names are shown on terminals: no control characters. */
function readName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > 200 || /\p{Cc}/u.test(name))
    throw new UsageError('The name must have 1 to 200 characters and no control characters.');
  return name;
}
