import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Ask, Question } from '../carrier.ts';
import { isNumber, isRecord } from '../track.ts';
import { untilGone } from '../until-gone.ts';
import { type Kuaidi100Answer, refusal, toKuaidi100 } from './answer.ts';
import type { Kuaidi100Subscriptions } from './subscriptions.ts';

export type Kuaidi100Account = { customer: string; key: string };

/** `POST /kuaidi100/poll/query.do`: one number per call, form-encoded and signed; every answer is an HTTP 200. */
export function kuaidi100(ask: Ask, account: Kuaidi100Account): RequestHandler {
  return async (req, res) => {
    const form: Record<string, unknown> = isRecord(req.body) ? req.body : {};
    const answer = await reply(form, account, (question) => ask([question], untilGone(res), 'zh'));
    if (answer.kind === 'json') res.json(answer.body);
    else res.type('html').send(answer.body);
  };
}

async function reply(
  form: Record<string, unknown>,
  account: Kuaidi100Account,
  ask: (question: Question) => ReturnType<Ask>,
): Promise<Kuaidi100Answer> {
  const { customer, param, sign } = form;
  if (typeof param !== 'string') return refusal('400', '缺少 param 参数');
  if (customer !== account.customer || sign !== kuaidi100Sign(param, account)) return refusal('503', '签名校验未通过');
  const question = parseParam(param);
  if (!question) return refusal('400', 'param 参数有误，需要 com 与 num');
  const [says] = await ask(question);
  return says ? toKuaidi100(question.number, question.com, says) : refusal('501', '服务器内部错误');
}

/** The signature of a `param` string, as Kuaidi100 defines it: upper case hex of MD5(param + key + customer). */
export function kuaidi100Sign(param: string, { customer, key }: Kuaidi100Account): string {
  return createHash('md5')
    .update(param + key + customer)
    .digest('hex')
    .toUpperCase();
}

function parseParam(param: string): (Question & { com: string }) | null {
  const { com, num, phone } = parseObject(param);
  if (typeof com !== 'string' || com === '' || !isNumber(num)) return null;
  return { com, number: num, carrier: com, ...(typeof phone === 'string' && { phone }) };
}

/** An object in JSON; an empty one for anything else. */
function parseObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

type PollReply = { result: boolean; returnCode: string; message: string };

const refusedPoll = (returnCode: string, message: string): PollReply => ({ result: false, returnCode, message });

/**
 * `POST /kuaidi100/poll`: subscribes to one number, form-encoded with the key in `param`; every answer is an HTTP 200.
 */
export function kuaidi100Poll(subscriptions: Kuaidi100Subscriptions, { key }: { key: string }): RequestHandler {
  return (req, res) => {
    const form: Record<string, unknown> = isRecord(req.body) ? req.body : {};
    res.json(replyToPoll(form, subscriptions, key));
  };
}

function replyToPoll(form: Record<string, unknown>, subscriptions: Kuaidi100Subscriptions, key: string): PollReply {
  const param = typeof form.param === 'string' && form.schema === 'json' ? parseObject(form.param) : {};
  const { company, number, key: given, parameters } = param;
  if (given !== key) return refusedPoll('600', '您不是合法的订阅者');
  const { callbackurl, salt, phone } = isRecord(parameters) ? parameters : {};
  if (typeof company !== 'string' || company === '' || !isNumber(number) || !isAddress(callbackurl))
    return refusedPoll('700', '订阅方的订阅数据存在错误');
  const isNew = subscriptions.add({
    company,
    number,
    callbackUrl: callbackurl,
    ...(typeof salt === 'string' && salt !== '' && { salt }),
    ...(typeof phone === 'string' && { phone }),
  });
  return isNew ? { result: true, returnCode: '200', message: '提交成功' } : refusedPoll('501', '重复订阅');
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
