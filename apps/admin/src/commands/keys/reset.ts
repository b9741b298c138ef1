import { columns } from '@pts/core/text/align-columns';
import { resetKeys } from '@pts/service/accounts';
import { databaseCommand } from '../../command-line/database-command.ts';
import { newKeyRows, SHOWN_ONCE, viewNewKey } from '../../records/account-views.ts';
import { getAccount } from '../../records/accounts.ts';

export const keysReset = databaseCommand({
  name: 'keys reset',
  audited: 'after',
  takes: ['accountId'],
  options: {},
  about: 'Revoke all keys of an account within a second and create a new one. The key is shown only once.',
  async run(deps, { accountId }) {
    const account = await getAccount(deps.db, accountId);
    const key = await resetKeys(deps, account);
    return {
      lines: [
        `${account.name} (${accountId}) has a new key; all others are revoked.`,
        '',
        ...columns(newKeyRows(key)),
        '',
        SHOWN_ONCE,
      ],
      json: { account_id: accountId, key: viewNewKey(key) },
    };
  },
});
