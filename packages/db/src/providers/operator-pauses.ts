import { PAUSED_BY_OPERATOR } from '@pts/core/tracking/outage';
import type { Db } from '../connection/client.ts';

/**
 * Pauses all calls to a provider until a time; any other pause is replaced. Nothing but `endPause` lifts it before: calls that
 * were made earlier do not count (`clearPause`, `countFailure`). Afterwards a probe decides, as after an outage.
 */
export async function pauseByOperator(
  db: Db,
  provider: string,
  { until, reason, now }: { until: Date; reason: string; now: Date },
): Promise<void> {
  const pause = { failure: PAUSED_BY_OPERATOR, reason, pausedUntil: until, updatedAt: now };
  await db.providerPause.upsert({
    where: { provider },
    create: { provider, failures: 0, ...pause },
    update: pause,
  });
}

/** Ends a pause, whoever began it, and forgets the failures that were counted. @returns whether there was anything to end. */
export async function endPause(db: Db, provider: string): Promise<boolean> {
  const { count } = await db.providerPause.deleteMany({ where: { provider } });
  return count > 0;
}
