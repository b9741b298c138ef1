import type { CallbackAddress, Provider } from '@pts/carriers/provider';
import { callbackAddress } from '@pts/carriers/providers/configured';
import type { Cadence } from '@pts/db/checks/schedule';

/** The check intervals for a provider: those of the service, but never below the provider's floor. */
export function cadenceOf(
  config: {
    checkIntervalSeconds: number;
    idleCheckIntervalSeconds: number;
    callbackBaseUrl?: string | undefined;
    callbackSafetyNetSeconds: number;
  },
  provider: Provider,
): Cadence {
  return {
    monitoredSeconds: config.checkIntervalSeconds,
    idleSeconds: config.idleCheckIntervalSeconds,
    floorSeconds: provider.limits.floorSeconds,
    ...(provider.callbacks &&
      config.callbackBaseUrl !== undefined && { safetyNetSeconds: config.callbackSafetyNetSeconds }),
  };
}

/** Where a provider sends callbacks to; null if callbacks cannot reach this installation. */
export function callbackOf(
  {
    callbackBaseUrl: baseUrl,
    callbackSecret: secret,
  }: { callbackBaseUrl?: string | undefined; callbackSecret?: string | undefined },
  { name, callbacks }: Provider,
): CallbackAddress | null {
  return callbacks && baseUrl !== undefined && secret !== undefined ? callbackAddress(name, { baseUrl, secret }) : null;
}
