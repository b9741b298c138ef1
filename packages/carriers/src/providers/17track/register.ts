import { concernsProvider } from '@pts/core/tracking/answer';
import { failed } from '../../answer/failure.ts';
import { isSameNumber } from '../../answer/number.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, partOf, textOf } from '../../http/json.ts';
import type { SubscribeOutcome } from '../../provider-callbacks.ts';
import type { Requested } from '../manifest.ts';
import { ALREADY_REGISTERED, outcomeOf } from './codes.ts';
import { messageOf, type Sorted, sortedIn } from './parse.ts';

/** Reads the answer to one `/register`. A registration costs a unit, except for a number that is registered already. */
export function parseRegistered(outcome: HttpOutcome, requested: readonly Requested[]): SubscribeOutcome[] {
  const sorted = sortedIn(outcome);
  if ('kind' in sorted) return requested.map(() => sorted);
  return requested.map(({ number }) => outcomeFor(sorted, number));
}

function outcomeFor({ accepted, rejected }: Sorted, number: string): SubscribeOutcome {
  if (accepted.some((item) => isSameNumber(textOf(item, 'number'), number))) return { kind: 'subscribed' };
  const item = rejected.find((each) => isSameNumber(textOf(each, 'number'), number));
  if (!item) return failed('unreadable', `17TRACK answered nothing about ${number}`);
  const error = partOf(item, 'error');
  const code = codeOf(error, 'code');
  if (code === ALREADY_REGISTERED) return { kind: 'already' };
  const failure = outcomeOf(code);
  const message = messageOf(error);
  if (failure === 'not_found' || failure === 'temporary') return failed('temporary', message);
  return concernsProvider(failure) ? failed(failure, message) : { kind: 'refused', message };
}
