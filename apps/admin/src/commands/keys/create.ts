import { addKey } from '@pts/service/accounts/add-key';
import { newKeyRows, SHOWN_ONCE, viewNewKey } from '../../account-views.ts';
import { getAccount } from '../../accounts.ts';
import { databaseCommand } from '../../database-command.ts';
import { columns } from '../../text.ts';

export const keysCreate = databaseCommand({
  name: 'keys create',
  takes: ['accountId'],
  options: {},
  about: 'Add an API key to an account. The key is shown only once.',
  async run(deps, { accountId }) {
    const account = await getAccount(deps.db, accountId);
    const key = await addKey(deps, account);
    return {
      lines: [`${account.name} (${accountId}) has a new key.`, '', ...columns(newKeyRows(key)), '', SHOWN_ONCE],
      json: { account_id: accountId, key: viewNewKey(key) },
    };
  },
});
