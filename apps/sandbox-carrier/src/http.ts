import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen as listenAt } from '@pts/runtime/process/management';
import type { Response } from 'express';

/** Time for pending responses when the process stops. */
const GRACE_MS = 300;

/** Starts to listen. @throws an Error that names the setting if the port is not available */
export function listen(app: RequestListener, host: string, port: number): Promise<Server> {
  const server = createServer(app);
  // Longer than callers keep an idle connection, so that none of them uses one that is just being closed.
  server.keepAliveTimeout = 65_000;
  return listenAt(server, { port, host }, { port: 'PORT', host: 'HOST' });
}

export function urlOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/**
 * Stops listening, lets quick answers finish, then closes the remaining connections: a held-back answer must not block
 * the exit.
 */
export async function stop(server: Server, graceMs = GRACE_MS): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(cut);
}

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

const TIMEOUT_MS = 10_000;

/**
 * Posts a callback. A connection that was kept open may break before an answer: then the callback is posted once more,
 * over another one.
 * @returns whether the answer is a 2xx, and its text; null without an answer.
 */
export async function postCallback(
  url: string,
  { headers, body }: { headers?: Record<string, string>; body: string | URLSearchParams },
  signal: AbortSignal,
): Promise<{ isOk: boolean; text: string } | null> {
  const ending = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const post = async () => {
    const response = await fetch(url, {
      method: 'POST',
      body,
      signal: ending,
      redirect: 'manual',
      ...(headers && { headers }),
    });
    return { isOk: response.ok, text: await response.text() };
  };
  return post().catch(() => (ending.aborted ? null : post().catch(() => null)));
}

type Level = 'debug' | 'info' | 'error';
export type Log = (level: Level, msg: string, fields?: Record<string, unknown>) => void;

export const silent: Log = () => {};

const EVERY_MS = 100;

type Sender = { tick(): Promise<void>; close(): void };

/** Sends callbacks about what has become visible, several times a second. @returns a function that ends it. */
export function startCallbacks(senders: readonly Sender[], log: Log): () => void {
  const timer = setInterval(() => {
    Promise.all(senders.map((each) => each.tick())).catch((error) =>
      log('error', 'callbacks failed', { error: String(error?.stack ?? error) }),
    );
  }, EVERY_MS);
  return () => {
    clearInterval(timer);
    for (const each of senders) each.close();
  };
}
