import type { HttpOutcome } from '../../http.ts';
import type { ReleaseOutcome, ResumeOutcome } from '../../push.ts';
import { bodyIn } from './parse.ts';

/** Reads the answer to one `PATCH /trackers/{id}` with `isSubscribed: false`. */
export function parseUnsubscribed(outcome: HttpOutcome): ReleaseOutcome {
  const read = bodyIn(outcome);
  if (read.kind === 'failed') return read;
  return { kind: read.kind === 'not_found' ? 'unknown' : 'released' };
}

/** Reads the answer to one `PATCH /trackers/{id}` with `isSubscribed: true`. */
export function parseResubscribed(outcome: HttpOutcome): ResumeOutcome {
  const read = parseUnsubscribed(outcome);
  return read.kind === 'released' ? { kind: 'subscribed' } : read;
}
