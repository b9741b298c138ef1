import { columns } from '@pts/core/text/align-columns';
import { listKeys } from '@pts/db/accounts/accounts';
import { databaseCommand } from '../../command-line/database-command.ts';
import { keyTable, viewKey } from '../../records/account-views.ts';
import { getAccount } from '../../records/accounts.ts';

export const keysList = databaseCommand({
  name: 'keys list',
  takes: ['accountId'],
  options: { revoked: { about: 'Also the revoked ones.' } },
  about:
    'List the API keys of an account and of its test mode: what they may do, from where, until when, and their last use.',
  async run({ db }, { accountId, revoked: withRevoked }) {
    await getAccount(db, accountId);
    const keys = await listKeys(db, accountId, { withRevoked });
    return {
      lines: keys.length === 0 ? ['The account has no keys.'] : columns(keyTable(keys)),
      json: { account_id: accountId, keys: keys.map((key) => ({ ...viewKey(key), test: key.isTest })) },
    };
  },
});
