import { postPush } from '../post-push.ts';
import type { PushMessage } from './wire.ts';

/** Posts a push. @returns whether the receiver accepted it, with any 2xx. */
export type SendMessage = (target: string, message: PushMessage, signal: AbortSignal) => Promise<boolean>;

export const sendMessage: SendMessage = async (target, { headers, body }, signal) => {
  const answer = await postPush(target, { headers: { 'content-type': 'application/json', ...headers }, body }, signal);
  return answer?.isOk === true;
};
