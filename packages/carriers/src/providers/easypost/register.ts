import { concernsProvider } from '@pts/core/tracking/answer';
import { failed } from '../../answer/failure.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { textOf } from '../../http/json.ts';
import type { SubscribeOutcome } from '../../provider-callbacks.ts';
import { bodyIn } from './parse.ts';

/** Reads the answer to one `POST /trackers`. For a number that has a tracker, EasyPost returns that one. */
export function parseRegistered(outcome: HttpOutcome): SubscribeOutcome {
  const read = bodyIn(outcome);
  if (read.kind === 'not_found') return failed('temporary', 'EasyPost registered nothing');
  if (read.kind === 'failed') {
    const isOfNumber = outcome.kind === 'response' && (outcome.status === 400 || outcome.status === 422);
    return isOfNumber && !concernsProvider(read.failure) ? { kind: 'refused', message: read.message } : read;
  }
  const remoteId = textOf(read.body, 'id');
  return remoteId === ''
    ? failed('unreadable', 'EasyPost answered without a tracker')
    : { kind: 'subscribed', remoteId };
}
