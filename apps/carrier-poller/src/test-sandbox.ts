import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSandboxApp } from '@pts/sandbox-carrier/app';
import { rememberInMemory } from '@pts/sandbox-carrier/first-asked';
import type { Clock } from './test-poller.ts';

export const KUAIDI100 = { customer: 'test-customer', key: 'test-key' };

/** The sandbox carrier on the test's clock; it only delays answers that it holds back for longer than clients wait. */
export async function startSandbox(clock: Pick<Clock, 'now'>): Promise<{ url: string; close(): Promise<void> }> {
  const leaving = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  const wait = async (ms: number, signal: AbortSignal) => (ms >= 60_000 ? leaving(signal) : undefined);
  const state = rememberInMemory();
  const app = createSandboxApp({ speed: 1, now: clock.now, state, kuaidi100: KUAIDI100, wait });
  const server = await listen(app);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(app: RequestListener): Promise<Server> {
  const server = createServer(app);
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => resolve(server));
  });
}
