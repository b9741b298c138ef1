import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Ask, Question } from '../carrier.ts';
import { isNumber, isRecord } from '../track.ts';
import { untilGone } from '../until-gone.ts';
import { type Kuaidi100Answer, refusal, toKuaidi100 } from './answer.ts';

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
export function parseObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
