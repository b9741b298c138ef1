import { createHash } from 'node:crypto';
import { postPush } from '../post-push.ts';

/** The exact response that a subscriber must send. */
const ACCEPTED = '{"result":true,"returnCode":"200","message":"成功"}';

/** Posts `param`, signed with the salt if one was given. @returns whether the subscriber accepted it. */
export type SendPush = (
  to: { callbackUrl: string; salt?: string },
  param: object,
  signal: AbortSignal,
) => Promise<boolean>;

export const sendPush: SendPush = async ({ callbackUrl, salt }, content, signal) => {
  const param = JSON.stringify(content);
  const sign = salt === undefined ? {} : { sign: pushSign(param, salt) };
  const answer = await postPush(callbackUrl, { body: new URLSearchParams({ param, ...sign }) }, signal);
  return answer?.text === ACCEPTED;
};

/** The signature of a push, as Kuaidi100 defines it: MD5(param + salt). */
export function pushSign(param: string, salt: string): string {
  return createHash('md5')
    .update(param + salt)
    .digest('hex')
    .toUpperCase();
}
