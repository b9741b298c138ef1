import { columns } from '@pts/core/terminal';
import { listAccounts } from '@pts/db/accounts/accounts';
import { databaseCommand } from '../../command-line/database-command.ts';
import { describeQuota, viewAccount } from '../../records/account-views.ts';

const HEADING = ['ID', 'NAME', 'PLAN', 'UNITS PER MONTH', 'STATUS', 'CREATED'];

export const accountsList = databaseCommand({
  name: 'accounts list',
  takes: [],
  options: {},
  about: 'List all accounts, oldest first.',
  async run({ db, quotas }) {
    const accounts = await listAccounts(db);
    const json = accounts.map((account) => viewAccount(account, quotas));
    const rows = accounts.map((account) => {
      const { id, name, plan, status, created_at } = viewAccount(account, quotas);
      return [id, name, plan, describeQuota(account, quotas), status, created_at];
    });
    return {
      lines: rows.length === 0 ? ['There are no accounts.'] : columns([HEADING, ...rows]),
      json: { accounts: json },
    };
  },
});
