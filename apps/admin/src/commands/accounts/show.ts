import { columns } from '@pts/core/text/align-columns';
import { toUtcSeconds } from '@pts/core/time';
import { listKeys } from '@pts/db/accounts/accounts';
import { readQuota } from '@pts/service/accounts';
import { databaseCommand } from '../../command-line/database-command.ts';
import { accountRows, keyTable, viewAccount, viewKey } from '../../records/account-views.ts';
import { getAccount } from '../../records/accounts.ts';

export const accountsShow = databaseCommand({
  name: 'accounts show',
  takes: ['id'],
  options: {},
  about: "Show an account: its plan, this month's quota, and its keys with what they may do and their last use.",
  async run(deps, { id }) {
    const { db, quotas } = deps;
    const account = await getAccount(db, id);
    const { used, remaining, resetsAt } = await readQuota(deps, account);
    const resets = toUtcSeconds(resetsAt);
    const keys = await listKeys(db, id, { withRevoked: true });
    const rows = [...accountRows(account, quotas), ['Used', `${used}, ${remaining} left until ${resets}`]];
    return {
      lines: [...columns(rows), '', ...columns(keyTable(keys))],
      json: {
        account: {
          ...viewAccount(account, quotas),
          quota_used: used,
          quota_remaining: remaining,
          resets_at: resets,
        },
        keys: keys.map(viewKey),
      },
    };
  },
});
