import { toUtcSeconds } from '@pts/core/time';
import { correctQuota } from '@pts/service/accounts';
import { databaseCommand } from '../../command-line/database-command.ts';
import { Problem, UsageError } from '../../command-line/problem.ts';
import { getAccount, readUnits } from '../../records/accounts.ts';

export const accountsCorrectQuota = databaseCommand({
  name: 'accounts correct-quota',
  audited: 'after',
  takes: ['id'],
  options: {
    'give-back': { value: 'N', about: 'units of this month that count as unused again' },
    charge: { value: 'N', about: 'units of this month that count as used as well' },
    reason: { value: 'TEXT', about: 'why, for the audit log', required: true },
  },
  about: "Correct what an account has used of this month's quota: give units back, or charge them.",
  async run(deps, { id, 'give-back': back, charge }) {
    if ((back === undefined) === (charge === undefined))
      throw new UsageError('Say how many units: --give-back N or --charge N.');
    const units = back === undefined ? readUnits(charge ?? '', '--charge') : -readUnits(back, '--give-back');
    const account = await getAccount(deps.db, id);
    const quota = await correctQuota(deps, account, units);
    if (!quota) throw new Problem(`${account.name} (${id}) has fewer than ${units} units left: nothing was charged.`);
    const { used, remaining, resetsAt } = quota;
    const resets = toUtcSeconds(resetsAt);
    return {
      lines: [`${account.name} (${id}) has used ${used} units, ${remaining} left until ${resets}.`],
      json: { account: { id, quota_used: used, quota_remaining: remaining, resets_at: resets } },
    };
  },
});
