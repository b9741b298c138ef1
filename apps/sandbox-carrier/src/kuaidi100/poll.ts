import type { RequestHandler } from 'express';
import { isNumber, isRecord } from '../track.ts';
import { parseObject } from './kuaidi100.ts';
import type { Kuaidi100Subscriptions } from './subscriptions.ts';

type Reply = { result: boolean; returnCode: string; message: string };

const refusal = (returnCode: string, message: string): Reply => ({ result: false, returnCode, message });

/** `POST /kuaidi100/poll`: subscribes to one number, form-encoded with the key in `param`; every answer is an HTTP 200. */
export function kuaidi100Poll(subscriptions: Kuaidi100Subscriptions, { key }: { key: string }): RequestHandler {
  return (req, res) => {
    const form: Record<string, unknown> = isRecord(req.body) ? req.body : {};
    res.json(reply(form, subscriptions, key));
  };
}

function reply(form: Record<string, unknown>, subscriptions: Kuaidi100Subscriptions, key: string): Reply {
  const param = typeof form.param === 'string' && form.schema === 'json' ? parseObject(form.param) : {};
  const { company, number, key: given, parameters } = param;
  if (given !== key) return refusal('600', '您不是合法的订阅者');
  const { callbackurl, salt, phone } = isRecord(parameters) ? parameters : {};
  if (typeof company !== 'string' || company === '' || !isNumber(number) || !isAddress(callbackurl))
    return refusal('700', '订阅方的订阅数据存在错误');
  const isNew = subscriptions.add({
    company,
    number,
    callbackUrl: callbackurl,
    ...(typeof salt === 'string' && salt !== '' && { salt }),
    ...(typeof phone === 'string' && { phone }),
  });
  return isNew ? { result: true, returnCode: '200', message: '提交成功' } : refusal('501', '重复订阅');
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
