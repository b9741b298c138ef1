import { describeQuota, viewAccount } from '../../account-views.ts';
import { changeAccount, readPlan } from '../../accounts.ts';
import { databaseCommand } from '../../database-command.ts';

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
