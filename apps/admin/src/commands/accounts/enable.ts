import { viewAccount } from '../../account-views.ts';
import { changeAccount } from '../../accounts.ts';
import { databaseCommand } from '../../database-command.ts';

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
