import type { Pool } from 'undici';

/** Pools of connections to receivers, one per origin. */
export type Pools = {
  of(origin: string): Pool;
  /** Destroys all connections, including requests in flight. */
  destroy(): Promise<void>;
};

/**
 * Each pool is replaced after `ttlMs`, so that a changed DNS name is resolved and checked again, and
 * idle connections are released. An old pool finishes its requests in flight. (The
 * client's own `clientTtl` looks at every connection for every push.)
 */
export function createPools(make: (origin: string) => Pool, ttlMs: number): Pools {
  /** The oldest first. */
  const pools = new Map<string, { pool: Pool; madeAt: number }>();
  const retiring = new Set<Pool>();

  const retire = (pool: Pool) => {
    retiring.add(pool);
    const forget = () => retiring.delete(pool);
    pool.close().then(forget, forget);
  };
  const retireOld = (now: number) => {
    for (const [origin, { pool, madeAt }] of pools) {
      if (now - madeAt < ttlMs) return;
      pools.delete(origin);
      retire(pool);
    }
  };
  return {
    of(origin) {
      const now = performance.now();
      const known = pools.get(origin);
      if (known && now - known.madeAt < ttlMs) return known.pool;
      retireOld(now);
      const pool = make(origin);
      pools.set(origin, { pool, madeAt: now });
      return pool;
    },
    destroy: async () => {
      const all = [...retiring, ...[...pools.values()].map(({ pool }) => pool)];
      pools.clear();
      await Promise.all(all.map((pool) => pool.destroy()));
    },
  };
}
