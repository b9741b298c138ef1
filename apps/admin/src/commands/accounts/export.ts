import { exportAccount } from '@pts/db/accounts/personal-data';
import { databaseCommand } from '../../command-line/database-command.ts';
import { getAccount } from '../../records/accounts.ts';

export const accountsExport = databaseCommand({
  name: 'accounts export',
  audited: 'before',
  takes: ['id'],
  options: {},
  about: 'Print everything that is stored of an account, as lines of JSON: a table and a row each, without secrets.',
  async run({ db }, { id }, { line }) {
    await getAccount(db, id);
    for await (const each of exportAccount(db, id)) line(JSON.stringify(each));
    return { lines: [], json: undefined };
  },
});
