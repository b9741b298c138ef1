import { databaseCommand } from '../../command-line/database-command.ts';
import { viewAccount } from '../../records/account-views.ts';
import { changeAccount } from '../../records/accounts.ts';

export const accountsEnable = databaseCommand({
  name: 'accounts enable',
  audited: 'after',
  takes: ['id'],
  options: {},
  about: 'Enable a disabled account: its keys are accepted again.',
  async run({ db, quotas }, { id }) {
    const account = await changeAccount(db, id, { disabledAt: null });
    return {
      lines: [`${account.name} (${id}) is enabled: its API keys are accepted.`],
      json: { account: viewAccount(account, quotas) },
    };
  },
});
