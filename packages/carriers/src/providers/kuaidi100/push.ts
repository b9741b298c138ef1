import { createHash, timingSafeEqual } from 'node:crypto';
import type { PushWatch } from '@pts/core/tracking/subscription';
import { codeOf, isObject, type JsonObject, parseObject, textOf } from '../../http/json.ts';
import type { Push, PushKeys, PushRequest, PushResponse } from '../../provider-push.ts';
import { carriersOf } from './companies.ts';
import { parseResult } from './parse.ts';

/** Anything else is pushed again half an hour later. */
export const ACCEPTED: PushResponse = {
  status: 200,
  type: 'application/json; charset=utf-8',
  body: '{"result":true,"returnCode":"200","message":"成功"}',
};

/** `sign` = MD5(param + salt) in hexadecimal, of either case. */
export function verifyPush({ rawBody }: PushRequest, { salt }: PushKeys): boolean {
  const form = new URLSearchParams(rawBody);
  const [param, sign] = [form.get('param'), form.get('sign')];
  if (!param || sign === null || !/^[0-9a-f]{32}$/i.test(sign)) return false;
  const wanted = createHash('md5').update(`${param}${salt}`).digest();
  return timingSafeEqual(wanted, Buffer.from(sign, 'hex'));
}

const WATCHES: Readonly<Record<string, PushWatch>> = { shutdown: 'ended', abort: 'aborted' };

/**
 * Reads a push: form field `param` with the state of the subscription and the whole history (`lastResult`), as a query
 * answers it. A corrected company (`comNew`) continues under its own code, also if the push says `abort`.
 */
export function parsePush(rawBody: string): Push[] | null {
  const param = parseObject(new URLSearchParams(rawBody).get('param') ?? '');
  const result = param?.lastResult;
  if (!param || !isObject(result)) return null;
  const number = textOf(result, 'nu').trim();
  if (number === '') return null;
  const [before, after] = [textOf(param, 'comOld'), textOf(param, 'comNew')];
  const companies = [before, textOf(result, 'com'), after].filter((company) => company !== '');
  const carriers = [...new Set(companies.flatMap((company) => carriersOf(company, number)))];
  const isCorrected = after !== '' && after !== before;
  const watch = isCorrected && param.status === 'abort' ? 'going_on' : (WATCHES[textOf(param, 'status')] ?? 'going_on');
  const push: Push = { number, carriers, answer: answerOf(result, number, carriers[0] ?? '', watch), watch };
  const [movedTo] = isCorrected ? carriersOf(after, number) : [];
  if (movedTo !== undefined) push.movedTo = movedTo;
  const reason = textOf(param, 'message');
  if (watch !== 'going_on' && reason !== '') push.reason = reason;
  return [push];
}

/** An aborted subscription may come without any result, which says nothing about the parcel. */
function answerOf(result: JsonObject, number: string, carrier: string, watch: PushWatch): Push['answer'] {
  const hasNothing = !Array.isArray(result.data) && codeOf(result, 'status') === '';
  const answer = hasNothing ? ({ kind: 'not_found' } as const) : parseResult(result, { number, carrier });
  return answer.kind === 'found' && watch === 'ended' ? { ...answer, isWatchEnded: true } : answer;
}
