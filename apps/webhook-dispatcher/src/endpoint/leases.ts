import { randomUUID } from 'node:crypto';
import { createBatcher } from '@pts/db/batcher';
import type { HotTx } from '@pts/db/connection';
import {
  type DueDelivery,
  endLeases,
  type LoadRequest,
  type Page,
  renewLeases,
  takeAndLoad,
  takeLeases,
} from '@pts/db/deliveries/attempts';

/** A page that was loaded together with the lease, and its size. */
export type FirstPage = { page: Page; due: readonly DueDelivery[] };

/**
 * The leases of endpoints in Postgres (`endpoint_turns`): at most one process works for an endpoint. In that process, the
 * executor runs its work one after the other; the queue's deduplication only saves wake-ups.
 */
export type Leases = {
  /** The name of this process in the leases. */
  holder: string;
  /**
   * Runs `work` unless another process works for the endpoint.
   * @param first what to load with the lease if one statement can do both; null: nothing.
   * @returns whether it ran.
   */
  run(
    webhookId: string,
    first: LoadRequest | null,
    work: (loaded: FirstPage | null) => Promise<void>,
  ): Promise<boolean>;
  /** Leases that ended together with the record of their last attempt. */
  ended(webhookIds: readonly string[]): void;
  /** Renews running leases; call it more often than they last. */
  renew(): Promise<void>;
};

type Wanted = { webhookId: string; first: LoadRequest | null };
/** Null: not taken. */
type Taken = { loaded: FirstPage | null } | null;

/** Endpoints whose leases begin or end at the same moment share a statement. */
const BATCH = { take: { max: 50, concurrency: 2 }, end: { max: 500, concurrency: 1, everyMs: () => 3 } };

export function createLeases(db: HotTx, now: () => Date): Leases {
  const holder = randomUUID();
  const held = new Set<string>();
  const take = createBatcher(BATCH.take, (wanted: Wanted[]) => takeAll(db, holder, wanted, now()));
  const end = createBatcher(BATCH.end, async (ids: string[]) => {
    await endLeases(db, holder, ids);
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
      if (held.size > 0) await renewLeases(db, holder, [...held]);
    },
  };
}

/** One statement, unless a lease is new, held by another process, or ends at this moment. */
async function takeAll(db: HotTx, holder: string, wanted: readonly Wanted[], now: Date): Promise<Taken[]> {
  const requests = wanted.flatMap(({ first }) => first ?? []);
  const { endpoints, due } =
    requests.length > 0 ? await takeAndLoad(db, holder, requests, now) : { endpoints: [], due: [] };
  const pages = new Map(endpoints.map((id) => [id, [] as DueDelivery[]]));
  for (const delivery of due) pages.get(delivery.webhookId)?.push(delivery);
  const others = wanted.map(({ webhookId }) => webhookId).filter((id) => !pages.has(id));
  const taken = new Set(others.length > 0 ? await takeLeases(db, holder, others) : []);
  return wanted.map(({ webhookId, first }) => {
    const page = pages.get(webhookId);
    if (page && first) return { loaded: { page: first.page, due: page } };
    return taken.has(webhookId) ? { loaded: null } : null;
  });
}
