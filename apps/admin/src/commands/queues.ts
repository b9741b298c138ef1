import { columns } from '@pts/core/terminal';
import { toUtcSeconds } from '@pts/core/time';
import { queuesOf } from '@pts/queue/catalog';
import { drainQueue, pauseQueue, readDepths, resumeQueue } from '@pts/queue/operate';
import { type Command, command } from '../command.ts';
import { databaseCommand, knownQueue, providersIn, withQueue } from '../installation.ts';

const queuesDepth = command({
  name: 'queues depth',
  takes: [],
  options: {},
  about:
    'Show how many wake-ups wait in each queue of this environment, since when, how many run, and which queues are paused.',
  run: (context) =>
    withQueue(context, async (queue, env) => {
      const names = queuesOf(providersIn(env).map(({ name }) => name));
      const depths = await readDepths(queue, names);
      const rows = depths.map((depth) => [
        depth.queue,
        String(depth.waiting),
        depth.oldestAt === null ? '-' : toUtcSeconds(depth.oldestAt),
        String(depth.active),
        depth.isPaused ? 'paused' : 'running',
      ]);
      return {
        lines: columns([['QUEUE', 'WAITING', 'OLDEST', 'ACTIVE', 'STATE'], ...rows]),
        json: {
          store: queue.store,
          queues: depths.map(({ isPaused, oldestAt, ...depth }) => ({
            ...depth,
            oldest_at: oldestAt,
            paused: isPaused,
          })),
        },
      };
    }),
});

const queuesPause = databaseCommand({
  name: 'queues pause',
  audited: 'after',
  takes: ['name'],
  options: {},
  about:
    'Keep workers from taking jobs of a queue until it is resumed. It fills and an alert fires; to stop calls to a carrier, use providers pause.',
  async run(_deps, { name }, context) {
    const queue = knownQueue(name);
    await withQueue(context, (connection) => pauseQueue(connection, queue));
    return {
      lines: [`${queue} is paused. Jobs that run go on; \`queues resume ${queue}\` ends it.`],
      json: { queue, paused: true },
    };
  },
});

const queuesResume = databaseCommand({
  name: 'queues resume',
  audited: 'after',
  takes: ['name'],
  options: {},
  about: 'Let workers take jobs of a paused queue again.',
  async run(_deps, { name }, context) {
    const queue = knownQueue(name);
    await withQueue(context, (connection) => resumeQueue(connection, queue));
    return { lines: [`${queue} is not paused.`], json: { queue, paused: false } };
  },
});

const queuesDrain = databaseCommand({
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

/** In the order of the help text. */
export const queues: readonly Command[] = [queuesDepth, queuesPause, queuesResume, queuesDrain];
