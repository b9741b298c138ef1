import { resetKeys } from '@pts/db/accounts/accounts';
import { newKeyRows, SHOWN_ONCE, viewNewKey } from '../account-views.ts';
import { getAccount } from '../accounts.ts';
import { databaseCommand } from '../database-command.ts';
import { columns } from '../text.ts';

export const keysReset = databaseCommand({
  name: 'keys reset',
  takes: ['accountId'],
  options: {},
  about: 'Revoke all keys of an account, within a second, and make a new one, which is shown this once.',
  async run({ db, now }, { accountId }) {
    const { name } = await getAccount(db, accountId);
    const key = await resetKeys(db, accountId, now);
    return {
      lines: [`${name} (${accountId}) has only this key now.`, '', ...columns(newKeyRows(key)), '', SHOWN_ONCE],
      json: { account_id: accountId, key: viewNewKey(key) },
    };
  },
});
