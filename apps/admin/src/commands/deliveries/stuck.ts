import { databaseCommand } from '../../command-line/database-command.ts';
import { readUnits } from '../../records/accounts.ts';
import { pendingTable, readPending } from '../../records/deliveries.ts';

const DEFAULT_SECONDS = '60';

export const deliveriesStuck = databaseCommand({
  name: 'deliveries stuck',
  takes: [],
  options: { seconds: { value: 'N', about: `How long they have been due, at least (${DEFAULT_SECONDS}).` } },
  about:
    'List the webhooks whose deliveries have been due for long. Fails if one of them is healthy: then no dispatcher works for it.',
  async run({ db, now }, { seconds = DEFAULT_SECONDS }) {
    const min = readUnits(seconds, '--seconds');
    const stuck = (await readPending(db, { now: now() })).filter(({ overdue_seconds }) => overdue_seconds >= min);
    return {
      lines: stuck.length === 0 ? [`None has been due for ${min} s.`] : pendingTable(stuck),
      json: { webhooks: stuck },
      failed: stuck.some(({ is_healthy }) => is_healthy),
    };
  },
});
