import { bodyOrFailure, failed } from '../../answer/failure.ts';
import type { HttpOutcome, Send } from '../../http/http.ts';
import { codeOf, parseObject, textOf } from '../../http/json.ts';
import type { Question } from '../../provider.ts';
import type { CallbackAddress, SubscribeOutcome } from '../../provider-callbacks.ts';
import { lastFourOf } from '../phone.ts';
import { companyOf } from './companies.ts';

/** Kuaidi100 accepts no shorter and no longer numbers. */
const NUMBER = /^.{6,32}$/;
const UNKNOWN_COMPANY = /公司|不支持|company/i;

/** Subscribes to one number: one call. Kuaidi100 requires an address for callbacks, so no call is made without one. */
export async function subscribeOne(
  { url, key, post }: { url: string; key: string; post: Send },
  question: Question,
  callback: CallbackAddress | null,
  signal: AbortSignal | undefined,
): Promise<SubscribeOutcome> {
  const company = companyOf(question.carrier, question.number);
  if (company === undefined) return refused(`Kuaidi100 does not serve ${question.carrier}`);
  if (!NUMBER.test(question.number)) return refused('Kuaidi100 accepts numbers of 6 to 32 characters');
  if (callback === null) return refused('there is no address for callbacks');
  const param = JSON.stringify(paramOf(question, company, key, callback));
  return parseSubscribed(await post(url, { form: { schema: 'json', param } }, signal));
}

/** `resultv2: "4"` requests the same codes and places as a query; `autoCom` lets Kuaidi100 correct the company. */
function paramOf({ number, phone }: Question, company: string, key: string, { url, salt }: CallbackAddress) {
  const parameters = {
    callbackurl: url,
    salt,
    resultv2: '4',
    autoCom: '1',
    ...(phone && { phone: lastFourOf(phone) }),
  };
  return { company, number, key, parameters };
}

/** Reads the answer to a subscription: `{result, returnCode, message}`. */
export function parseSubscribed(outcome: HttpOutcome): SubscribeOutcome {
  const body = bodyOrFailure(outcome, 'Kuaidi100');
  if (typeof body !== 'string') return body;
  const answer = parseObject(body);
  if (!answer) return failed('unreadable', 'Kuaidi100 answered something other than a JSON object');
  const code = codeOf(answer, 'returnCode');
  const message = `Kuaidi100 answered ${code || 'no code'}: ${textOf(answer, 'message')}`;
  switch (code) {
    case '200':
      return { kind: 'subscribed' };
    case '501':
      return { kind: 'already' };
    case '500':
      return UNKNOWN_COMPANY.test(message) ? refused(message) : failed('temporary', message);
    case '600':
      return failed('auth', message);
    case '601':
      return failed('quota', message);
    case '700':
    case '701':
      return refused(message);
    default:
      return failed('unreadable', message);
  }
}

function refused(message: string): SubscribeOutcome {
  return { kind: 'refused', message };
}
