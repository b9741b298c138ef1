import { viewAccount } from '../account-views.ts';
import { changeAccount, getAccount } from '../accounts.ts';
import { databaseCommand } from '../database-command.ts';

export const accountsDisable = databaseCommand({
  name: 'accounts disable',
  takes: ['id'],
  options: {},
  about: 'Refuse all keys of an account, within a second and until it is enabled again.',
  async run({ db, quotas, now }, { id }) {
    const { disabledAt } = await getAccount(db, id);
    const account = await changeAccount(db, id, { disabledAt: disabledAt ?? now });
    return {
      lines: [`${account.name} (${id}) is disabled: its API keys are refused.`],
      json: { account: viewAccount(account, quotas) },
    };
  },
});
