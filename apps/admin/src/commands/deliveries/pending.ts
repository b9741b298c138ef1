import { databaseCommand } from '../../command-line/database-command.ts';
import { getAccount } from '../../records/accounts.ts';
import { pendingTable, readPending } from '../../records/deliveries.ts';

export const deliveriesPending = databaseCommand({
  name: 'deliveries pending',
  takes: [],
  options: { account: { value: 'ID', about: 'Only of this account.' } },
  about:
    'List the webhooks with pending deliveries, the longest due first: how many, since when, and what holds them back.',
  async run({ db, now }, { account: accountId }) {
    if (accountId !== undefined) await getAccount(db, accountId);
    const pending = await readPending(db, { now: now(), accountId });
    return {
      lines: pending.length === 0 ? ['Nothing is pending.'] : pendingTable(pending),
      json: { webhooks: pending },
    };
  },
});
