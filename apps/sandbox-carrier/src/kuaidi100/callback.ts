import { createHash } from 'node:crypto';
import { postCallback } from '../post-callback.ts';

/** The exact response that a subscriber must send. */
const ACCEPTED = '{"result":true,"returnCode":"200","message":"成功"}';

/** Posts `param`, signed with the salt if one was given. @returns whether the subscriber accepted it. */
export type SendCallback = (
  to: { callbackUrl: string; salt?: string },
  param: object,
  signal: AbortSignal,
) => Promise<boolean>;

export const sendCallback: SendCallback = async ({ callbackUrl, salt }, content, signal) => {
  const param = JSON.stringify(content);
  const sign = salt === undefined ? {} : { sign: callbackSign(param, salt) };
  const answer = await postCallback(callbackUrl, { body: new URLSearchParams({ param, ...sign }) }, signal);
  return answer?.text === ACCEPTED;
};

/** The signature of a callback, as Kuaidi100 defines it: MD5(param + salt). */
export function callbackSign(param: string, salt: string): string {
  return createHash('md5')
    .update(param + salt)
    .digest('hex')
    .toUpperCase();
}
