import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'express';

/** Aborts when the caller has its answer or has disconnected. */
export function untilGone(res: Response): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  return gone.signal;
}

/** Waits in real time. An abort ends the wait early, so that no timer keeps a stopping process alive. */
export async function waitOrLeave(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
