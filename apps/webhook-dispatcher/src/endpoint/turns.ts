import { randomUUID } from 'node:crypto';
import { createBatcher } from '@pts/db/connection/batcher';
import type { HotTx } from '@pts/db/connection/hot';
import { type DueDelivery, type LoadRequest, type Page, takeAndLoad } from '@pts/db/deliveries/attempts';
import { endTurns, renewTurns, takeTurns } from '@pts/db/deliveries/turns';

/** A page that was loaded together with the turn, and its size. */
export type FirstPage = { page: Page; due: readonly DueDelivery[] };

/** The leases of endpoints in Postgres. The queue wakes one process at a time for an endpoint; these guarantee it. */
export type Turns = {
  /** The name of this process in the leases. */
  holder: string;
  /**
   * Runs `work` unless another process works for the endpoint.
   * @param first what to load with the turn if one statement can do both; null: nothing.
   * @returns whether it ran.
   */
  run(
    webhookId: string,
    first: LoadRequest | null,
    work: (loaded: FirstPage | null) => Promise<void>,
  ): Promise<boolean>;
  /** Turns that ended together with the record of their last attempt. */
  ended(webhookIds: readonly string[]): void;
  /** Renews running turns; call it more often than they last. */
  renew(): Promise<void>;
};

type Wanted = { webhookId: string; first: LoadRequest | null };
/** Null: not taken. */
type Taken = { loaded: FirstPage | null } | null;

/** Endpoints whose turns begin or end at the same moment share a statement. */
const BATCH = { take: { max: 50, concurrency: 2 }, end: { max: 500, concurrency: 1, everyMs: 3 } };

export function createTurns(db: HotTx, now: () => Date): Turns {
  const holder = randomUUID();
  const held = new Set<string>();
  const take = createBatcher(BATCH.take, (wanted: Wanted[]) => takeAll(db, holder, wanted, now()));
  const end = createBatcher(BATCH.end, async (ids: string[]) => {
    await endTurns(db, holder, ids);
    return ids.map(() => undefined);
  });
  return {
    holder,
    async run(webhookId, first, work) {
      const taken = await take({ webhookId, first });
      if (!taken) return false;
      held.add(webhookId);
      try {
        await work(taken.loaded);
        return true;
      } finally {
        // Otherwise it ends on its own.
        if (held.delete(webhookId)) await end(webhookId).catch(() => {});
      }
    },
    ended: (webhookIds) => {
      for (const id of webhookIds) held.delete(id);
    },
    async renew() {
      if (held.size > 0) await renewTurns(db, holder, [...held]);
    },
  };
}

/** One statement, unless a turn is new, held by another process, or ends at this moment. */
async function takeAll(db: HotTx, holder: string, wanted: readonly Wanted[], now: Date): Promise<Taken[]> {
  const requests = wanted.flatMap(({ first }) => first ?? []);
  const { endpoints, due } =
    requests.length > 0 ? await takeAndLoad(db, holder, requests, now) : { endpoints: [], due: [] };
  const pages = new Map(endpoints.map((id) => [id, [] as DueDelivery[]]));
  for (const delivery of due) pages.get(delivery.webhookId)?.push(delivery);
  const others = wanted.map(({ webhookId }) => webhookId).filter((id) => !pages.has(id));
  const taken = new Set(others.length > 0 ? await takeTurns(db, holder, others) : []);
  return wanted.map(({ webhookId, first }) => {
    const page = pages.get(webhookId);
    if (page && first) return { loaded: { page: first.page, due: page } };
    return taken.has(webhookId) ? { loaded: null } : null;
  });
}
