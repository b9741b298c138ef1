import type { Db } from '@pts/db/connection/client';
import { feedReplays } from '@pts/db/deliveries/replays';
import type { Producer } from '@pts/queue/producer';

export type ReplayDeps = { db: Db; producer: Pick<Producer, 'deliver'>; now(): Date };

/** Makes the next pages of running replays pending, and wakes their endpoints. */
export async function replay({ db, producer, now }: ReplayDeps): Promise<{ more: boolean }> {
  const { pending, more } = await feedReplays(db, now());
  await producer.deliver(pending);
  return { more };
}
