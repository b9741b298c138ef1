import type { CarrierAnswer, FailedAnswer } from '@pts/core/tracking/answer';
import { outageOf } from '@pts/core/tracking/outage';
import type { PollerDeps } from '../deps.ts';
import { noteOutage, noteSuccess } from '../provider/outages.ts';

/** The dependencies for a kind of calls that has a breaker of its own, and no daily budget. */
export function apartFor<D extends PollerDeps>(deps: D, kind: 'subscribe' | 'release'): D {
  return { ...deps, breaker: { key: `${deps.provider.name}:${kind}` } };
}

type Outcome = FailedAnswer | { kind: string };
type Call = { requestedAt: Date; numbers: readonly { trackingNumber: string }[] };

/**
 * Counts the outcomes of a call's numbers, and notes whether it showed outage.
 * @returns null if it did not; otherwise until when such calls pause, if they do.
 */
export async function noteOutcomes(
  deps: PollerDeps,
  attempts: PollerDeps['metrics']['subscriptions'],
  outcomes: readonly Outcome[],
  { requestedAt, numbers }: Call,
): Promise<{ pausedUntil: Date | null } | null> {
  for (const outcome of outcomes)
    attempts.inc({ provider: deps.provider.name, outcome: isFailed(outcome) ? outcome.failure : outcome.kind });
  const outage = outageOf(outcomes.map((each): CarrierAnswer => (isFailed(each) ? each : { kind: 'not_found' })));
  if (outage === null) {
    await noteSuccess(deps, requestedAt);
    return null;
  }
  const trackingIds = numbers.map(({ trackingNumber }) => trackingNumber);
  return noteOutage(deps, outage, { requestedAt, trackingIds });
}

function isFailed(outcome: Outcome): outcome is FailedAnswer {
  return outcome.kind === 'failed';
}

/** When a failed attempt is repeated: not before a pause ends. */
export function notBefore(pausedUntil: Date | null, retryAt: Date): Date {
  return pausedUntil !== null && pausedUntil > retryAt ? pausedUntil : retryAt;
}
