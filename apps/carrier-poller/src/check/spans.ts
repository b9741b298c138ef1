import type { ClaimedCheck } from '@pts/core/tracking/check';
import type { ChangedAnswer } from '@pts/db/checks/answers';
import { currentOrigin, type SpanStart } from '@pts/runtime/tracing/tracing';

/**
 * The span of a call about these checks: a part of the registration's trace if it is the first check of one parcel; otherwise a trace
 * of its own, which follows from those of its parcels.
 */
export function spanOfCall(provider: string, checks: readonly ClaimedCheck[]): SpanStart {
  const links = checks.flatMap(({ traceparent }) => traceparent ?? []);
  const [check, another] = checks;
  const isFirst = another === undefined && check?.fingerprint === null;
  const attributes = { 'pts.provider': provider, 'pts.parcels': checks.length };
  return isFirst ? { parent: check.traceparent, attributes } : { links, attributes };
}

/** Has the pushes of a traced parcel follow from the current span. */
export function followedFromHere(answer: ChangedAnswer): ChangedAnswer {
  return answer.traceparent ? { ...answer, traceparent: currentOrigin().traceparent } : answer;
}
