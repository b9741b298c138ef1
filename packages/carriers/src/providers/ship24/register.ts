import { concernsProvider, type FailedAnswer } from '@pts/core/tracking/answer';
import { failed } from '../../answer/failure.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { objectsIn, parseObject, partOf, textOf } from '../../http/json.ts';
import type { SubscribeOutcome } from '../../provider-callbacks.ts';
import { bodyIn } from './parse.ts';

/** Reads the answer to one `POST /trackers`: 201 for a new tracker, 200 for an existing one. */
export function parseRegistered(outcome: HttpOutcome): SubscribeOutcome {
  if (isConflict(outcome)) return { kind: 'already' };
  const read = bodyIn(outcome);
  if (read.kind === 'not_found') return failed('temporary', 'Ship24 registered nothing');
  if (read.kind === 'failed') return isOfNumber(outcome, read) ? { kind: 'refused', message: read.message } : read;
  const remoteId = textOf(partOf(partOf(read.body, 'data'), 'tracker'), 'trackerId');
  if (remoteId === '') return failed('unreadable', 'Ship24 answered without a tracker');
  return { kind: read.status === 201 ? 'subscribed' : 'already', remoteId };
}

/** A tracker with other details exists: it has callbacks as well. */
function isConflict(outcome: HttpOutcome): boolean {
  const body = outcome.kind === 'response' ? parseObject(outcome.text) : null;
  return body !== null && objectsIn(body, 'errors').some((error) => textOf(error, 'code') === 'tracker_conflict');
}

/** Refused for what was sent, and not for the account or for now. */
function isOfNumber(outcome: HttpOutcome, { failure }: FailedAnswer): boolean {
  return outcome.kind === 'response' && outcome.status === 400 && !concernsProvider(failure) && failure !== 'temporary';
}
