import { randomUUID } from 'node:crypto';
import type { HotTx } from '@pts/db/connection/hot';
import { endTurns, renewTurns, takeTurns } from '@pts/db/deliveries/turns';
import { createBatcher } from '@pts/runtime/batcher';

/** The leases of endpoints in Postgres. The queue wakes one process at a time for an endpoint; these guarantee it. */
export type Turns = {
  /** Runs `work` unless another process works for the endpoint. @returns whether it ran. */
  run(webhookId: string, work: () => Promise<void>): Promise<boolean>;
  /** Renews running turns; call it more often than they last. */
  renew(): Promise<void>;
};

/** Endpoints whose turns begin or end at the same moment share a statement. */
const BATCH = { take: { most: 500, atOnce: 2 }, end: { most: 500, atOnce: 1, everyMs: 3 } };

export function createTurns(db: HotTx): Turns {
  const holder = randomUUID();
  const held = new Set<string>();
  const take = createBatcher(BATCH.take, async (ids: string[]) => {
    const taken = new Set(await takeTurns(db, holder, ids));
    return ids.map((id) => taken.has(id));
  });
  const end = createBatcher(BATCH.end, async (ids: string[]) => {
    await endTurns(db, holder, ids);
    return ids.map(() => undefined);
  });
  return {
    async run(webhookId, work) {
      if (!(await take(webhookId))) return false;
      held.add(webhookId);
      try {
        await work();
        return true;
      } finally {
        held.delete(webhookId);
        // Otherwise it ends on its own.
        await end(webhookId).catch(() => {});
      }
    },
    async renew() {
      if (held.size > 0) await renewTurns(db, holder, [...held]);
    },
  };
}
