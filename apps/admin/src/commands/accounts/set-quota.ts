import { databaseCommand } from '../../command-line/database-command.ts';
import { describeQuota, viewAccount } from '../../records/account-views.ts';
import { changeAccount, readUnits } from '../../records/accounts.ts';

export const accountsSetQuota = databaseCommand({
  name: 'accounts set-quota',
  audited: 'after',
  takes: ['id', 'units'],
  options: {},
  about: 'Set the monthly quota of an account; `plan` returns to the quota of its plan.',
  async run({ db, quotas }, { id, units }) {
    const account = await changeAccount(db, id, { quotaOverride: units === 'plan' ? null : readUnits(units) });
    return {
      lines: [`${account.name} (${id}) has ${describeQuota(account, quotas)} units per month.`],
      json: { account: viewAccount(account, quotas) },
    };
  },
});
