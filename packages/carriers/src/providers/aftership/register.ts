import { concernsProvider } from '@pts/core/tracking/answer';
import { failed } from '../../answer/failure.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, parseObject, partOf, textOf } from '../../http/json.ts';
import type { SubscribeOutcome } from '../../provider-callbacks.ts';
import { ALREADY_REGISTERED } from './codes.ts';
import { bodyIn } from './parse.ts';

/** Reads the answer to one `POST /trackings`. */
export function parseRegistered(outcome: HttpOutcome): SubscribeOutcome {
  if (isRegistered(outcome)) return { kind: 'already' };
  const read = bodyIn(outcome);
  if (read.kind === 'not_found') return { kind: 'refused', message: 'AfterShip finds no carrier for the number' };
  if (read.kind === 'failed') {
    const isForNow = concernsProvider(read.failure) || outcome.kind !== 'response' || outcome.status < 400;
    return isForNow ? read : { kind: 'refused', message: read.message };
  }
  const data = partOf(read.body, 'data');
  const remoteId = textOf(data, 'id') || textOf(partOf(data, 'tracking'), 'id');
  return remoteId === ''
    ? failed('unreadable', 'AfterShip answered without a tracking')
    : { kind: 'subscribed', remoteId };
}

function isRegistered(outcome: HttpOutcome): boolean {
  const body = outcome.kind === 'response' ? parseObject(outcome.text) : null;
  return body !== null && codeOf(partOf(body, 'meta'), 'code') === ALREADY_REGISTERED;
}
