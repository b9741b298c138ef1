import { disableAccount } from '@pts/db/accounts/accounts';
import { databaseCommand } from '../../command-line/database-command.ts';
import { viewAccount } from '../../records/account-views.ts';
import { known } from '../../records/accounts.ts';

export const accountsDisable = databaseCommand({
  name: 'accounts disable',
  audited: 'after',
  takes: ['id'],
  options: {},
  about: 'Disable an account: its keys are refused within a second.',
  async run({ db, quotas, now }, { id }) {
    const account = known(await disableAccount(db, id, now()), id);
    return {
      lines: [
        `${account.name} (${id}) is disabled: its API keys are refused. Its parcels are still checked and pushed.`,
      ],
      json: { account: viewAccount(account, quotas) },
    };
  },
});
