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
  about: 'Show the waiting and running wake-ups of each queue in this environment, and whether the queue is paused.',
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
    'Stop workers from taking jobs of a queue until it is resumed. The queue fills up and an alert fires. To stop calls to a provider, use `providers pause`.',
  async run(_deps, { name }, context) {
    const queue = knownQueue(name);
    await withQueue(context, (connection) => pauseQueue(connection, queue));
    return {
      lines: [`${queue} is paused. Running jobs are finished. To resume the queue, run \`queues resume ${queue}\`.`],
      json: { queue, paused: true },
    };
  },
});

const queuesResume = databaseCommand({
  name: 'queues resume',
  audited: 'after',
  takes: ['name'],
  options: {},
  about: 'Resume a paused queue.',
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
  options: { 'dry-run': { about: 'count the waiting jobs only' } },
  about:
    'Remove the waiting jobs of a queue. No work is lost: jobs are only wake-ups, and the sweeps find due work in PostgreSQL. Regular checks are made at their next time.',
  async run(_deps, { name, 'dry-run': isDryRun }, context) {
    const queue = knownQueue(name);
    const jobs = await withQueue(context, async (connection) =>
      isDryRun ? ((await readDepths(connection, [queue]))[0]?.waiting ?? 0) : await drainQueue(connection, queue),
    );
    return {
      lines: [isDryRun ? `Jobs waiting in ${queue}: ${jobs}.` : `Jobs removed from ${queue}: ${jobs}.`],
      json: { queue, jobs, dry_run: isDryRun },
    };
  },
});

/** In the order of the help text. */
export const queues: readonly Command[] = [queuesDepth, queuesPause, queuesResume, queuesDrain];
