import { pauseQueue } from '@pts/queue/operate';
import { databaseCommand } from '../../command-line/database-command.ts';
import { knownQueue, withQueue } from '../../command-line/queue-command.ts';

export const queuesPause = databaseCommand({
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
