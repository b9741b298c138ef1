import type { WatchMode } from '@pts/contract/trackings';
import type { TrackingRecord } from '@pts/db/trackings/records';
import type { ApiDeps } from '../../deps.ts';

export type WatchDeps = Pick<ApiDeps, 'providers' | 'monitoredSeconds' | 'idleSeconds'>;
type Watched = Pick<TrackingRecord, 'provider' | 'nextCheckAt' | 'isFinalCheck' | 'isMonitored'>;

/** How a parcel is watched: how often its carrier is asked, in seconds, where that is regular. */
export function watchOf(tracking: Watched, deps: WatchDeps): { mode: WatchMode; interval_seconds: number | null } {
  const provider = deps.providers.find(({ name }) => name === tracking.provider);
  // Nobody asks for a provider that is no longer configured.
  if (tracking.nextCheckAt === null || !provider) return { mode: 'stopped', interval_seconds: null };
  if (tracking.isFinalCheck) return { mode: 'final_check', interval_seconds: null };
  return { mode: 'polled', interval_seconds: intervalSeconds(tracking, deps, provider.limits.floorSeconds) };
}

/** Seconds between two checks: the account's interval, but never below the provider's floor. */
export function intervalSeconds({ isMonitored }: Pick<Watched, 'isMonitored'>, deps: WatchDeps, floorSeconds: number) {
  return Math.max(isMonitored ? deps.monitoredSeconds : deps.idleSeconds, floorSeconds);
}
