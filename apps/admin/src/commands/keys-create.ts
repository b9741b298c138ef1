import { createKey } from '@pts/db/accounts/accounts';
import { newKeyRows, SHOWN_ONCE, viewNewKey } from '../account-views.ts';
import { getAccount } from '../accounts.ts';
import { databaseCommand } from '../database-command.ts';
import { columns } from '../text.ts';

export const keysCreate = databaseCommand({
  name: 'keys create',
  takes: ['accountId'],
  options: {},
  about: 'Add an API key to an account; it is shown this once.',
  async run({ db, now }, { accountId }) {
    const { name } = await getAccount(db, accountId);
    const key = await createKey(db, accountId, now);
    return {
      lines: [`${name} (${accountId}) has a further key.`, '', ...columns(newKeyRows(key)), '', SHOWN_ONCE],
      json: { account_id: accountId, key: viewNewKey(key) },
    };
  },
});
