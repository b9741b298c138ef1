import { concernsProvider } from '@pts/core/tracking/answer';
import { failed } from '../../answer/failure.ts';
import { isSameNumber } from '../../answer/number.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, partOf, textOf } from '../../http/json.ts';
import type { ReleaseOutcome, ReleaseQuestion, ResumeOutcome } from '../../provider-callbacks.ts';
import { NOT_REGISTERED, NOT_STOPPED, NOT_TRACKED, outcomeOf, RESTARTED_BEFORE } from './codes.ts';
import { messageOf, type Sorted, sortedIn } from './parse.ts';

/** Reads the answer to one `/stoptrack`. A stopped number stays in the account, with its history, for 90 days. */
export function parseStopped(outcome: HttpOutcome, requested: readonly ReleaseQuestion[]): ReleaseOutcome[] {
  return eachOf(outcome, requested, (code, message) => {
    if (code === null || code === NOT_TRACKED) return { kind: 'released' };
    return code === NOT_REGISTERED ? { kind: 'unknown' } : failedNumber(code, message);
  });
}

/** Reads the answer to one `/retrack`, which is free, and possible once for a number. */
export function parseRestarted(outcome: HttpOutcome, requested: readonly ReleaseQuestion[]): ResumeOutcome[] {
  return eachOf<ResumeOutcome>(outcome, requested, (code, message) => {
    if (code === null) return { kind: 'subscribed' };
    if (code === NOT_STOPPED) return { kind: 'already' };
    if (code === NOT_REGISTERED) return { kind: 'unknown' };
    return code === RESTARTED_BEFORE ? { kind: 'refused', message } : failedNumber(code, message);
  });
}

/** The meaning of each number's code; null if it was accepted. */
function eachOf<T>(
  outcome: HttpOutcome,
  requested: readonly ReleaseQuestion[],
  read: (code: string | null, message: string) => T,
): (T | ReturnType<typeof failed>)[] {
  const sorted = sortedIn(outcome);
  if ('kind' in sorted) return requested.map(() => sorted);
  return requested.map(({ number }) => {
    const code = codeFor(sorted, number);
    return code === undefined
      ? failed('unreadable', `17TRACK answered nothing about ${number}`)
      : read(code?.code ?? null, code?.message ?? '');
  });
}

function codeFor({ accepted, rejected }: Sorted, number: string): { code: string; message: string } | null | undefined {
  const refused = rejected.find((item) => isSameNumber(textOf(item, 'number'), number));
  const error = refused && partOf(refused, 'error');
  if (error) return { code: codeOf(error, 'code'), message: messageOf(error) };
  return accepted.some((item) => isSameNumber(textOf(item, 'number'), number)) ? null : undefined;
}

function failedNumber(code: string, message: string) {
  const failure = outcomeOf(code);
  return failed(failure !== 'not_found' && concernsProvider(failure) ? failure : 'temporary', message);
}
