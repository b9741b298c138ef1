import { concernsProvider } from '@pts/core/tracking/answer';
import { failed } from '../../answer/failure.ts';
import { isSameNumber } from '../../answer/number.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, objectsIn, textOf } from '../../http/json.ts';
import type { SubscribeOutcome } from '../../provider-callbacks.ts';
import type { Requested } from '../manifest.ts';
import { ALREADY_REGISTERED } from './codes.ts';
import { type Data, dataIn, refusal } from './parse.ts';

/** Reads the answer to one `POST /trackings/batch`: the outcome of each number. */
export function parseRegistered(outcome: HttpOutcome, requested: readonly Requested[]): SubscribeOutcome[] {
  const data = dataIn(outcome);
  if (data.kind === 'not_found') return requested.map(() => failed('temporary', 'TrackingMore registered nothing'));
  if (data.kind === 'failed') return requested.map(() => data);
  return requested.map(({ number }) => outcomeFor(data, number));
}

function outcomeFor({ data }: Data, number: string): SubscribeOutcome {
  const isRequested = (item: Parameters<typeof textOf>[0]) => isSameNumber(textOf(item, 'tracking_number'), number);
  const made = objectsIn(data, 'success').find(isRequested);
  if (made) return { kind: 'subscribed', ...remoteId(textOf(made, 'id')) };
  const refused = objectsIn(data, 'error').find(isRequested);
  if (!refused) return failed('unreadable', `TrackingMore answered nothing about ${number}`);
  const code = codeOf(refused, 'errorCode');
  if (code === ALREADY_REGISTERED) return { kind: 'already', ...remoteId(textOf(refused, 'id')) };
  const answer = refusal(code, textOf(refused, 'errorMessage'));
  if (answer.kind === 'failed' && concernsProvider(answer.failure)) return answer;
  return { kind: 'refused', message: `TrackingMore refused ${number}: ${code} ${textOf(refused, 'errorMessage')}` };
}

function remoteId(id: string): { remoteId?: string } {
  return id === '' ? {} : { remoteId: id };
}
