import type { Provider } from '@pts/carriers/provider';
import type { Cadence } from '@pts/db/checks/schedule';
import { COMMON_SETTINGS, PROVIDER_SETTINGS, STORE_SETTINGS } from '@pts/runtime/settings';

export const POLLER_SETTINGS = [
  ...COMMON_SETTINGS,
  ...STORE_SETTINGS,
  ...PROVIDER_SETTINGS,
  'checkIntervalSeconds',
  'idleCheckIntervalSeconds',
  'sweepIntervalMs',
] as const;

/** The check intervals for a provider: those of the service, but never below the provider's floor. */
export function cadenceOf(
  config: { checkIntervalSeconds: number; idleCheckIntervalSeconds: number },
  provider: Provider,
): Cadence {
  return {
    monitoredSeconds: config.checkIntervalSeconds,
    idleSeconds: config.idleCheckIntervalSeconds,
    floorSeconds: provider.limits.floorSeconds,
  };
}
