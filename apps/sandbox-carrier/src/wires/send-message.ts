import type { PushMessage } from './wire.ts';

const TIMEOUT_MS = 10_000;

/** Posts a push. @returns whether the receiver accepted it, with any 2xx. */
export type SendMessage = (target: string, message: PushMessage, signal: AbortSignal) => Promise<boolean>;

export const sendMessage: SendMessage = async (target, { headers, body }, signal) => {
  try {
    const response = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      redirect: 'manual',
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
};
