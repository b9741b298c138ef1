import type { WatchMode } from '@pts/contract/trackings';
import type { TrackingRecord } from '@pts/db/trackings/records';
import type { ServiceContext } from '../context.ts';

export type WatchContext = Pick<ServiceContext, 'providers' | 'monitoredSeconds' | 'idleSeconds' | 'safetyNetSeconds'>;
type Watched = Pick<TrackingRecord, 'provider' | 'nextCheckAt' | 'isFinalLook' | 'isMonitored' | 'isPushed'>;

/** How a parcel is polled. `intervalSeconds` is null if checks are not regular. */
export type Watch = { mode: WatchMode; intervalSeconds: number | null; nextCheckAt: Date | null };

/** How a parcel is watched: the interval of its checks, if they are regular, and the next one. */
export function watchOf(tracking: Watched, ctx: WatchContext): Watch {
  const { nextCheckAt, isFinalLook } = tracking;
  const provider = ctx.providers.find(({ name }) => name === tracking.provider);
  // No check runs for a provider that was removed from the configuration.
  if (nextCheckAt === null || !provider) return { mode: 'stopped', intervalSeconds: null, nextCheckAt: null };
  if (isFinalLook) return { mode: 'final_look', intervalSeconds: null, nextCheckAt };
  const { floorSeconds } = provider.limits;
  if (tracking.isPushed && provider.callbacks && ctx.safetyNetSeconds !== null)
    return { mode: 'pushed', intervalSeconds: Math.max(ctx.safetyNetSeconds, floorSeconds), nextCheckAt };
  return { mode: 'polled', intervalSeconds: intervalSeconds(tracking, ctx, floorSeconds), nextCheckAt };
}

/** Seconds between two checks: the account's interval, but never below the provider's floor. */
export function intervalSeconds(
  { isMonitored }: Pick<Watched, 'isMonitored'>,
  { monitoredSeconds, idleSeconds }: Pick<WatchContext, 'monitoredSeconds' | 'idleSeconds'>,
  floorSeconds: number,
): number {
  return Math.max(isMonitored ? monitoredSeconds : idleSeconds, floorSeconds);
}
