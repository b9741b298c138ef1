import { routeFor } from '@pts/carriers/providers/configured';
import { type ProviderHealth, readProviderHealth } from '@pts/db/providers/health';
import { countParcels } from '@pts/db/stats';
import type { ServiceContext } from '../context.ts';

/** A check that waits less long than this is in time. */
const LATE_SECONDS = 60;

/** Whether a carrier's parcels are checked. `unserved`: no provider of this installation serves it. */
export type CarrierHealth = {
  carrier: string;
  state: 'on_time' | 'late' | 'paused' | 'unserved';
  /** How long the oldest check has been due; 0 if none is. */
  lateSeconds: number;
  pausedUntil: Date | null;
  /** When a regular check was last begun; null: not yet. */
  checkedAt: Date | null;
};

/** The carriers of an account's parcels. As in routing, the first provider that is not paused counts. */
export async function carriersHealth(
  { db, providers, now }: Pick<ServiceContext, 'db' | 'providers' | 'now'>,
  accountId: string,
): Promise<CarrierHealth[]> {
  const at = now();
  const { carriers } = await countParcels(db, accountId);
  const mostFirst = [...carriers].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const routes = mostFirst.map(([carrier]) => ({
    carrier,
    names: routeFor(carrier, providers).map(({ name }) => name),
  }));
  const names = [...new Set(routes.flatMap((route) => route.names))];
  const found = new Map((await readProviderHealth(db, names, at)).map((health) => [health.provider, health]));
  return routes.map((route) => healthOf(route, found, at));
}

function healthOf(
  { carrier, names }: { carrier: string; names: readonly string[] },
  found: ReadonlyMap<string, ProviderHealth>,
  now: Date,
): CarrierHealth {
  const route = names.flatMap((name) => found.get(name) ?? []);
  const isPaused = ({ pausedUntil }: ProviderHealth) => pausedUntil !== null && pausedUntil > now;
  const provider = route.find((one) => !isPaused(one)) ?? route[0];
  if (!provider) return { carrier, state: 'unserved', lateSeconds: 0, pausedUntil: null, checkedAt: null };
  const { oldestDueAt, checkedAt } = provider;
  const lateSeconds =
    oldestDueAt === null ? 0 : Math.max(0, Math.floor((now.getTime() - oldestDueAt.getTime()) / 1000));
  if (isPaused(provider))
    return { carrier, state: 'paused', lateSeconds, pausedUntil: provider.pausedUntil, checkedAt };
  return { carrier, state: lateSeconds < LATE_SECONDS ? 'on_time' : 'late', lateSeconds, pausedUntil: null, checkedAt };
}
