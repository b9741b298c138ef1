import { postCallback } from '../post-callback.ts';
import type { CallbackMessage } from './wire.ts';

/** Posts a callback. @returns whether the receiver accepted it, with any 2xx. */
export type SendMessage = (target: string, message: CallbackMessage, signal: AbortSignal) => Promise<boolean>;

export const sendMessage: SendMessage = async (target, { headers, body }, signal) => {
  const answer = await postCallback(
    target,
    { headers: { 'content-type': 'application/json', ...headers }, body },
    signal,
  );
  return answer?.isOk === true;
};
