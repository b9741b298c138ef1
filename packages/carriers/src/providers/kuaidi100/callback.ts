import { createHash, timingSafeEqual } from 'node:crypto';
import type { CallbackWatch } from '@pts/core/tracking/subscription';
import { codeOf, isObject, type JsonObject, parseObject, textOf } from '../../http/json.ts';
import type { Callback, CallbackKeys, CallbackRequest, CallbackResponse } from '../../provider-callbacks.ts';
import { carriersOf } from './companies.ts';
import { parseResult } from './parse.ts';

/** Anything else is sent again half an hour later. */
export const ACCEPTED: CallbackResponse = {
  status: 200,
  type: 'application/json; charset=utf-8',
  body: '{"result":true,"returnCode":"200","message":"成功"}',
};

/** `sign` = MD5(param + salt) in hexadecimal, of either case. */
export function verifyCallback({ rawBody }: CallbackRequest, { salt }: CallbackKeys): boolean {
  const form = new URLSearchParams(rawBody);
  const [param, sign] = [form.get('param'), form.get('sign')];
  if (!param || sign === null || !/^[0-9a-f]{32}$/i.test(sign)) return false;
  const wanted = createHash('md5').update(`${param}${salt}`).digest();
  return timingSafeEqual(wanted, Buffer.from(sign, 'hex'));
}

const WATCHES: Readonly<Record<string, CallbackWatch>> = { shutdown: 'ended', abort: 'aborted' };

/**
 * Reads a callback: form field `param` with the state of the subscription and the whole history (`lastResult`), as a query
 * answers it. A corrected company (`comNew`) continues under its own code, also if the callback says `abort`.
 */
export function parseCallback(rawBody: string): Callback[] | null {
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
  const callback: Callback = { number, carriers, answer: answerOf(result, number, carriers[0] ?? '', watch), watch };
  const [movedTo] = isCorrected ? carriersOf(after, number) : [];
  if (movedTo !== undefined) callback.movedTo = movedTo;
  const reason = textOf(param, 'message');
  if (watch !== 'going_on' && reason !== '') callback.reason = reason;
  return [callback];
}

/** An aborted subscription may come without any result, which says nothing about the parcel. */
function answerOf(result: JsonObject, number: string, carrier: string, watch: CallbackWatch): Callback['answer'] {
  const hasNothing = !Array.isArray(result.data) && codeOf(result, 'status') === '';
  const answer = hasNothing ? ({ kind: 'not_found' } as const) : parseResult(result, { number, carrier });
  return answer.kind === 'found' && watch === 'ended' ? { ...answer, isWatchEnded: true } : answer;
}
