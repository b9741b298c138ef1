import { databaseCommand } from '../../command-line/database-command.ts';
import { describeQuota, viewAccount } from '../../records/account-views.ts';
import { changeAccount, readPlan } from '../../records/accounts.ts';

export const accountsSetPlan = databaseCommand({
  name: 'accounts set-plan',
  audited: 'after',
  takes: ['id', 'plan'],
  options: {},
  about: 'Set the plan of an account: free, pro or enterprise.',
  async run({ db, quotas }, { id, plan }) {
    const account = await changeAccount(db, id, { plan: readPlan(plan) });
    return {
      lines: [
        `${account.name} (${id}) is on the plan ${account.plan}: ${describeQuota(account, quotas)} units per month.`,
      ],
      json: { account: viewAccount(account, quotas) },
    };
  },
});
