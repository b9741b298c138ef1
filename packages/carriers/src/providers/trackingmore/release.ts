import type { HttpOutcome } from '../../http.ts';
import type { ReleaseOutcome } from '../../push.ts';
import { dataIn } from './parse.ts';

/** Reads the answer to one `DELETE /trackings/delete/{id}`. */
export function parseDeleted(outcome: HttpOutcome): ReleaseOutcome {
  const data = dataIn(outcome);
  if (data.kind === 'failed') return data;
  return { kind: data.kind === 'not_found' ? 'unknown' : 'released' };
}
