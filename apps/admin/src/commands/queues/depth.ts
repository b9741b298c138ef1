import { columns } from '@pts/core/terminal';
import { toUtcSeconds } from '@pts/core/time';
import { queuesOf } from '@pts/queue/catalog';
import { readDepths } from '@pts/queue/operate';
import { command } from '../../command-line/command.ts';
import { withQueue } from '../../command-line/queue-command.ts';
import { providersIn } from '../../providers/environment.ts';

const HEADING = ['QUEUE', 'WAITING', 'OLDEST', 'ACTIVE', 'STATE'];

export const queuesDepth = command({
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
        lines: columns([HEADING, ...rows]),
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
