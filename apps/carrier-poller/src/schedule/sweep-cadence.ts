import { followCadence, leaveSafetyNet } from '@pts/db/checks/schedule';
import type { PollerDeps } from '../deps.ts';

/** Checks that leave their safety net in one statement. */
const LEAVE_SIZE = 5000;
/** Again after this: processes with the former settings may have run a while longer. */
const LEAVE_EVERY_MS = 3_600_000;

/** A sweep that has the checks of a provider follow the intervals of this process's settings. */
export function createCadenceSweep({
  db,
  provider,
  cadence,
  now,
}: Pick<PollerDeps, 'db' | 'provider' | 'cadence' | 'now'>): () => Promise<{ more: boolean }> {
  const isSettled = provider.callbacks === undefined || cadence.safetyNetSeconds !== undefined;
  let leftAt = Number.NEGATIVE_INFINITY;
  return async () => {
    await followCadence(db, provider.name, cadence, now());
    if (isSettled || performance.now() - leftAt < LEAVE_EVERY_MS) return { more: false };
    const left = await leaveSafetyNet(db, { provider: provider.name, cadence, limit: LEAVE_SIZE, now: now() });
    if (left === LEAVE_SIZE) return { more: true };
    leftAt = performance.now();
    return { more: false };
  };
}
