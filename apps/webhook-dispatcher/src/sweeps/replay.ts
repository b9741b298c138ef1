import type { Db } from '@pts/db/connection';
import { feedReplays } from '@pts/db/deliveries/send-again';
import type { WakeAll } from './sweep.ts';

export type ReplayDeps = { db: Db; wakeAll: WakeAll; now(): Date };

/** Makes the next pages of running replays pending, and wakes their endpoints. */
export async function replay({ db, wakeAll, now }: ReplayDeps): Promise<{ more: boolean }> {
  const { pending, more } = await feedReplays(db, now());
  await wakeAll(pending);
  return { more };
}
