import { quotaLimit, remaining } from '@pts/core/account/plan';
import { nextMonthOf, toUtcSeconds } from '@pts/core/time';
import { listKeys, quotaUsed } from '@pts/db/accounts/accounts';
import { accountRows, viewAccount, viewKey } from '../account-views.ts';
import { getAccount } from '../accounts.ts';
import { databaseCommand } from '../database-command.ts';
import { columns } from '../text.ts';

const KEY_HEADING = ['KEY', 'HINT', 'CREATED', 'REVOKED'];

export const accountsShow = databaseCommand({
  name: 'accounts show',
  takes: ['id'],
  options: {},
  about: "Show an account: its plan, this month's quota, its keys by their hints.",
  async run({ db, quotas, now }, { id }) {
    const account = await getAccount(db, id);
    const used = await quotaUsed(db, id, now);
    const left = remaining(quotaLimit(account.plan, account.quotaOverride, quotas), used);
    const resetsAt = toUtcSeconds(nextMonthOf(now));
    const keys = (await listKeys(db, id)).map(viewKey);
    const rows = [...accountRows(account, quotas), ['Used', `${used}, ${left} left until ${resetsAt}`]];
    const keyRows = keys.map((key) => [key.id, key.hint, key.created_at, key.revoked_at ?? '-']);
    return {
      lines: [...columns(rows), '', ...columns([KEY_HEADING, ...keyRows])],
      json: {
        account: {
          ...viewAccount(account, quotas),
          quota_used: used,
          quota_remaining: left,
          resets_at: resetsAt,
        },
        keys,
      },
    };
  },
});
