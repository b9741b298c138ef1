import { randomBytes } from 'node:crypto';
import { newSecret, pushHeaders } from '@pts/core/webhook/push';
import type { StreamedEvent } from '../../types.ts';

/** As long as the service waits for a receiver (spec section 6.4). */
const TIMEOUT_MS = 10_000;
/** As much of a response as the service keeps. */
const EXCERPT_BYTES = 1024;

export const createSecret = () => newSecret(randomBytes(32));

/** What a receiver answered; status 0: nothing, and `error` says why. */
export type Forwarded = { status: number; ms: number; error: string | null; excerpt: string };

type Target = { url: string; secret: string; signal: AbortSignal; now(): Date };

/** Sends an event as the service pushes it: the same body, headers and signatures, with a secret of our own. */
export async function forward(event: StreamedEvent, { url, secret, signal, now }: Target): Promise<Forwarded> {
  const { id, cursor: _, ...push } = event;
  const body = JSON.stringify(push);
  const headers = pushHeaders({ messageId: id, event: push.event, attempt: 1, body, secrets: [secret], sentAt: now() });
  const startedAt = performance.now();
  const msSoFar = () => Math.round(performance.now() - startedAt);
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const init = {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    } as const;
    const response = await fetch(url, init);
    const excerpt = await excerptOf(response);
    return { status: response.status, ms: msSoFar(), error: faultOf(response.status), excerpt };
  } catch (error) {
    signal.throwIfAborted();
    const why = timeout.aborted ? 'no answer within 10 seconds' : reasonOf(error, url);
    return { status: 0, ms: msSoFar(), error: why, excerpt: '' };
  }
}

async function excerptOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= EXCERPT_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, EXCERPT_BYTES).toString('utf8').trim();
}

/** What the service makes of a status. */
function faultOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return 'redirects are not followed';
  return status === 410 ? 'the service would disable the webhook' : 'the service would try again';
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: start your receiver',
  ENOTFOUND: 'there is no such host',
  ECONNRESET: 'the receiver closed the connection without an answer',
};

/** fetch has the reason only in its cause; with several addresses, in the causes of that one. */
function reasonOf(error: unknown, url: string): string {
  const { cause } = error as { cause?: { code?: string; message?: string; errors?: { code?: string }[] } };
  const code = cause?.code ?? cause?.errors?.[0]?.code ?? '';
  return `${new URL(url).origin}: ${REASONS[code] ?? (cause?.message || code || String(error))}`;
}
