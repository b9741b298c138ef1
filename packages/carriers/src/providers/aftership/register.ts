import { concernsProvider } from '@pts/core/tracking/answer';
import { failed } from '../../answer/failure.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, type JsonObject, parseObject, partOf, textOf } from '../../http/json.ts';
import type { SubscribeOutcome } from '../../provider-callbacks.ts';
import { ALREADY_REGISTERED } from './codes.ts';
import { bodyIn } from './parse.ts';

/** Reads the answer to one `POST /trackings`. */
export function parseRegistered(outcome: HttpOutcome): SubscribeOutcome {
  const refusal = outcome.kind === 'response' ? parseObject(outcome.text) : null;
  if (refusal !== null && codeOf(partOf(refusal, 'meta'), 'code') === ALREADY_REGISTERED) {
    const remoteId = idIn(refusal);
    return { kind: 'already', ...(remoteId && { remoteId }) };
  }
  const read = bodyIn(outcome);
  if (read.kind === 'not_found') return { kind: 'refused', message: 'AfterShip finds no carrier for the number' };
  if (read.kind === 'failed') {
    const isForNow = concernsProvider(read.failure) || outcome.kind !== 'response' || outcome.status < 400;
    return isForNow ? read : { kind: 'refused', message: read.message };
  }
  const remoteId = idIn(read.body);
  return remoteId === ''
    ? failed('unreadable', 'AfterShip answered without a tracking')
    : { kind: 'subscribed', remoteId };
}

function idIn(body: JsonObject): string {
  const data = partOf(body, 'data');
  return textOf(data, 'id') || textOf(partOf(data, 'tracking'), 'id');
}
