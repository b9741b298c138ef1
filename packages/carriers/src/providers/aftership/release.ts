import type { HttpOutcome } from '../../http.ts';
import type { ReleaseOutcome } from '../../push.ts';
import { bodyIn } from './parse.ts';

/** Reads the answer to one `DELETE /trackings/{id}`. */
export function parseDeleted(outcome: HttpOutcome): ReleaseOutcome {
  const read = bodyIn(outcome);
  if (read.kind === 'failed') return read;
  return { kind: read.kind === 'not_found' ? 'unknown' : 'released' };
}
