import { PROVIDERS } from '@pts/carriers/providers/index';
import { showDatabaseAddress } from '@pts/core/settings';
import { messageOf } from '@pts/db/connection/message';
import { BACKGROUND_QUEUE, DELIVER_QUEUE, queuesOf } from '@pts/queue/catalog';
import { openQueue, type QueueConnection } from '@pts/queue/connection';
import { loadConfig } from '@pts/runtime/settings/config';
import { STORE_SETTINGS } from '@pts/runtime/settings/settings';
import { storeEnv } from '../standalone.ts';
import type { Context } from './command.ts';
import { explain } from './database-command.ts';
import { Problem, UsageError } from './problem.ts';

/** Opens the queue of the services for one command, which also gets their environment. @throws Problem if its store does not answer */
export async function withQueue<R>(
  context: Context,
  use: (queue: QueueConnection, env: NodeJS.ProcessEnv) => Promise<R>,
): Promise<R> {
  const env = storeEnv(context);
  const config = loadConfig(env, STORE_SETTINGS);
  const queue = await openQueue({ ...config, prefix: config.queuePrefix, onError: () => {} });
  try {
    await queue.ping().catch((error: unknown) => {
      throw new Problem(`The queue in ${queue.at} cannot be reached: ${messageOf(error)}`);
    });
    return await use(queue, env);
  } catch (error) {
    throw queue.store === 'postgres' ? explain(error, showDatabaseAddress(config.databaseUrl) ?? '') : error;
  } finally {
    await queue.close();
  }
}

/** The queues of which some process takes jobs. */
export const ALL_QUEUES = queuesOf(PROVIDERS.map(({ name }) => name));

/** @throws UsageError if no process ever takes jobs of a queue with this name */
export function knownQueue(name: string): string {
  if (!ALL_QUEUES.includes(name))
    throw new UsageError(
      `No such queue: "${name}". There are ${DELIVER_QUEUE}, ${BACKGROUND_QUEUE} and query-PROVIDER: \`queues depth\` lists them.`,
    );
  return name;
}
