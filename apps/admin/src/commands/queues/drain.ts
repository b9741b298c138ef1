import { drainQueue, readDepths } from '@pts/queue/operate';
import { databaseCommand } from '../../command-line/database-command.ts';
import { knownQueue, withQueue } from '../../command-line/queue-command.ts';

export const queuesDrain = databaseCommand({
  name: 'queues drain',
  audited: 'before',
  takes: ['name'],
  options: { 'dry-run': { about: 'Only count the jobs that wait.' } },
  about:
    'Remove the waiting jobs of a queue. They are only wake-ups: the work stays in PostgreSQL, where the sweeps find what is due; regular checks are made at their next time.',
  async run(_deps, { name, 'dry-run': isDryRun }, context) {
    const queue = knownQueue(name);
    const jobs = await withQueue(context, async (connection) =>
      isDryRun ? ((await readDepths(connection, [queue]))[0]?.waiting ?? 0) : await drainQueue(connection, queue),
    );
    return {
      lines: [isDryRun ? `${jobs} jobs wait in ${queue}.` : `${jobs} jobs are removed from ${queue}.`],
      json: { queue, jobs, dry_run: isDryRun },
    };
  },
});
