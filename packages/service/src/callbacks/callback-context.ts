import type { Provider } from '@pts/carriers/provider';
import type { PageAddressOf } from '@pts/core/page';
import type { Cadence } from '@pts/db/checks/schedule';
import type { Signals } from '@pts/queue/signals';
import type { Logger } from '@pts/runtime/logger';
import type { ServiceContext } from '../context.ts';
import type { Estimator } from '../estimates.ts';

/** The dependencies for receiving callbacks. */
export type CallbackContext = Pick<
  ServiceContext,
  'db' | 'producer' | 'monitoredSeconds' | 'idleSeconds' | 'safetyNetSeconds' | 'now' | 'request'
> & {
  /** Estimates from history, for carriers that give none. */
  estimator: Estimator;
  /** The addresses of buyers' pages; absent if the installation has no public address. */
  pageOf?: PageAddressOf | undefined;
  signals: Pick<Signals, 'publish'>;
  logger: Pick<Logger, 'warn'>;
};

/** The check intervals of parcels of a provider that sends callbacks. */
export function cadenceOfCallbacks(
  { monitoredSeconds, idleSeconds, safetyNetSeconds }: CallbackContext,
  { limits: { floorSeconds } }: Provider,
): Cadence {
  const safetyNet = safetyNetSeconds === null ? {} : { safetyNetSeconds };
  return { monitoredSeconds, idleSeconds, floorSeconds, ...safetyNet };
}
