import type { FailedAnswer, NotFound } from '@pts/core/tracking/answer';
import type { ReleaseQuestion } from '../provider-callbacks.ts';

/** What the answer about one number says: it is done, the provider does not have the number, or the call failed. */
type Read = { kind: 'body' | 'data' } | NotFound | FailedAnswer;
type Call = (remoteId: string, signal: AbortSignal | undefined) => Promise<Read>;

/** Releases numbers by the provider's own ids, one call each. A number without one cannot be released: it is forgotten. */
export const releaseById = (call: Call) => callById(call, 'released');

/** Resumes numbers by the provider's own ids, one call each. A number without one is subscribed to again. */
export const resumeById = (call: Call) => callById(call, 'subscribed');

function callById<Done extends string>(call: Call, done: Done) {
  const outcomeOf = async ({ remoteId }: ReleaseQuestion, signal: AbortSignal | undefined) => {
    if (remoteId === null) return { kind: 'unknown' } as const;
    const read = await call(remoteId, signal);
    if (read.kind === 'failed') return read;
    return { kind: read.kind === 'not_found' ? ('unknown' as const) : done };
  };
  return (questions: readonly ReleaseQuestion[], signal?: AbortSignal) =>
    Promise.all(questions.map((question) => outcomeOf(question, signal)));
}
