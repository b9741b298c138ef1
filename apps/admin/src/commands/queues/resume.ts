import { resumeQueue } from '@pts/queue/operate';
import { databaseCommand } from '../../command-line/database-command.ts';
import { knownQueue, withQueue } from '../../command-line/queue-command.ts';

export const queuesResume = databaseCommand({
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
