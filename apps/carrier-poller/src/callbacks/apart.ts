import type { CarrierAnswer, FailedAnswer } from '@pts/core/tracking/answer';
import { outageOf } from '@pts/core/tracking/outage';
import type { PollerDeps } from '../deps.ts';
import { noteOutage, noteSuccess } from '../provider/outages.ts';

/** The same provider with a breaker of its own for this kind of call, and without its budget of queries. */
export function apartFor(deps: PollerDeps, kind: 'subscribe' | 'release'): PollerDeps {
  const { dailyBudget: _, ...limits } = deps.provider.limits;
  return { ...deps, provider: { ...deps.provider, limits, name: `${deps.provider.name}:${kind}` } };
}

type Outcome = FailedAnswer | { kind: string };
type Call = { requestedAt: Date; numbers: readonly { trackingNumber: string }[] };

/**
 * Counts the outcomes of a call's numbers, and notes whether it showed outage.
 * @returns null if it did not; otherwise until when such calls pause, if they do.
 */
export async function noteOutcomes(
  {
    provider,
    apart,
    attempts,
  }: Pick<PollerDeps, 'provider'> & {
    apart: PollerDeps;
    attempts: PollerDeps['metrics']['subscriptions'];
  },
  outcomes: readonly Outcome[],
  { requestedAt, numbers }: Call,
): Promise<{ pausedUntil: Date | null } | null> {
  for (const outcome of outcomes)
    attempts.inc({ provider: provider.name, outcome: isFailed(outcome) ? outcome.failure : outcome.kind });
  const outage = outageOf(outcomes.map((each): CarrierAnswer => (isFailed(each) ? each : { kind: 'not_found' })));
  if (outage === null) {
    await noteSuccess(apart, requestedAt);
    return null;
  }
  const trackingIds = numbers.map(({ trackingNumber }) => trackingNumber);
  return noteOutage(apart, outage, { requestedAt, trackingIds });
}

function isFailed(outcome: Outcome): outcome is FailedAnswer {
  return outcome.kind === 'failed';
}

/** When a failed attempt is repeated: not before a pause ends. */
export function notBefore(pausedUntil: Date | null, retryAt: Date): Date {
  return pausedUntil !== null && pausedUntil > retryAt ? pausedUntil : retryAt;
}
