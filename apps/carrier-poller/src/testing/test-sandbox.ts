import { createSandboxApp } from '@pts/sandbox-carrier/app';
import { rememberInMemory } from '@pts/sandbox-carrier/first-requests';
import { type HttpServer, serve } from '@pts/testing/http-server';
import type { Clock } from './test-poller.ts';

export const KUAIDI100 = { customer: 'test-customer', key: 'test-key' };

/** The sandbox carrier on the test's clock; only an answer held back for longer than clients wait is held back. */
export function startSandbox(clock: Pick<Clock, 'now'>): Promise<HttpServer> {
  const leaving = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  const wait = async (ms: number, signal: AbortSignal) => (ms >= 60_000 ? leaving(signal) : undefined);
  const state = rememberInMemory();
  return serve(createSandboxApp({ speed: 1, now: clock.now, state, kuaidi100: KUAIDI100, wait }));
}
