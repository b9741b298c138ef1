import type { Provider } from '@pts/carriers/provider';
import type { Cadence } from '@pts/db/checks/schedule';
import type { Signals } from '@pts/queue/signals';
import type { Logger } from '@pts/runtime/logger';
import type { ServiceContext } from '../context.ts';

/** What receiving pushes needs. */
export type PushContext = Pick<
  ServiceContext,
  'db' | 'producer' | 'monitoredSeconds' | 'idleSeconds' | 'safetyNetSeconds' | 'now'
> & {
  signals: Pick<Signals, 'publish'>;
  logger: Pick<Logger, 'warn'>;
};

/** The check intervals of parcels of a provider that pushes. */
export function cadenceOfPushes(
  { monitoredSeconds, idleSeconds, safetyNetSeconds }: PushContext,
  { limits: { floorSeconds } }: Provider,
): Cadence {
  const safetyNet = safetyNetSeconds === null ? {} : { safetyNetSeconds };
  return { monitoredSeconds, idleSeconds, floorSeconds, ...safetyNet };
}
