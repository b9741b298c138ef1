import { toUtcSeconds } from '@pts/core/time';
import { listKeys } from '@pts/db/accounts/accounts';
import { readQuota } from '@pts/service/accounts/quota';
import { accountRows, viewAccount, viewKey } from '../../account-views.ts';
import { getAccount } from '../../accounts.ts';
import { databaseCommand } from '../../database-command.ts';
import { columns } from '../../text.ts';

const KEY_HEADING = ['KEY', 'HINT', 'CREATED', 'REVOKED'];

export const accountsShow = databaseCommand({
  name: 'accounts show',
  takes: ['id'],
  options: {},
  about: "Show an account: its plan, this month's quota, and the hints of its keys.",
  async run(deps, { id }) {
    const { db, quotas } = deps;
    const account = await getAccount(db, id);
    const { used, remaining, resetsAt } = await readQuota(deps, account);
    const resets = toUtcSeconds(resetsAt);
    const keys = (await listKeys(db, id)).map(viewKey);
    const rows = [...accountRows(account, quotas), ['Used', `${used}, ${remaining} left until ${resets}`]];
    const keyRows = keys.map((key) => [key.id, key.hint, key.created_at, key.revoked_at ?? '-']);
    return {
      lines: [...columns(rows), '', ...columns([KEY_HEADING, ...keyRows])],
      json: {
        account: {
          ...viewAccount(account, quotas),
          quota_used: used,
          quota_remaining: remaining,
          resets_at: resets,
        },
        keys,
      },
    };
  },
});
