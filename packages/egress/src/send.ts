import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { refuseAddress } from '@pts/core/webhook/address-policy';
import { refuseUrl, type UrlPolicy } from '@pts/core/webhook/url-policy';
import { Agent, type Dispatcher, errors } from 'undici';

/** What a receiver made of a push. Every outcome is a value: a throw would be a fault of ours. */
export type Sent =
  | { kind: 'answered'; status: number; durationMs: number; excerpt: string; retryAfter: string | null }
  | { kind: 'no_answer'; durationMs: number; reason: string };

export type Send = (push: { url: string; headers: Record<string, string>; body: string }) => Promise<Sent>;

export type Resolver = (
  hostname: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: { address: string; family: number }[]) => void,
) => void;

export type Sender = { send: Send; close(): Promise<void> };

/** Bytes of a receiver's answer that are read and kept for the delivery log. */
export const EXCERPT_BYTES = 1024;

class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

/**
 * A client for receivers' addresses (spec section 6.4): never follows a redirect, never retries, ends after
 * `timeoutMs` from start to last byte, reads at most 1 KiB of the answer, and connects only to addresses that the
 * policy allows: every address a name resolves to is judged, and the connection goes to one that was judged.
 */
export function createSender(options: {
  policy: UrlPolicy;
  timeoutMs: number;
  connectionsPerReceiver?: number;
  resolver?: Resolver;
}): Sender {
  const { policy, timeoutMs } = options;
  const agent = new Agent({
    connect: { lookup: judgedLookup(policy, options.resolver ?? systemLookup), timeout: timeoutMs },
    connections: options.connectionsPerReceiver ?? 32,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: 30_000,
    maxHeaderSize: 16_384,
    pipelining: 1,
  });
  return {
    send: async ({ url, headers, body }) => {
      const startedAt = performance.now();
      const elapsed = () => Math.round(performance.now() - startedAt);
      const refused = refuseUrl(url, policy);
      if (refused !== null) return { kind: 'no_answer', durationMs: 0, reason: `blocked: ${refused}` };
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), timeoutMs);
      try {
        const response = await agent.request({
          ...target(url),
          method: 'POST',
          headers,
          body,
          signal: deadline.signal,
        });
        const excerpt = await readExcerpt(response.body);
        const retryAfter = response.headers['retry-after'];
        return {
          kind: 'answered',
          status: response.statusCode,
          durationMs: elapsed(),
          excerpt,
          retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
        };
      } catch (error) {
        return {
          kind: 'no_answer',
          durationMs: elapsed(),
          reason: describe(error, deadline.signal.aborted, timeoutMs),
        };
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => agent.destroy(),
  };
}

function target(text: string): { origin: string; path: string } {
  const url = new URL(text);
  return { origin: url.origin, path: `${url.pathname}${url.search}` };
}

/** Resolves a name, judges every address, and hands on only judged ones, so that nothing is resolved a second time. */
function judgedLookup(policy: UrlPolicy, resolve: Resolver): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const isNamed = policy.allowed.names.includes(hostname.replace(/\.+$/, '').toLowerCase());
      const refused = addresses
        .map(({ address }) => refuseAddress(address, policy.allowed, isNamed))
        .find((reason) => reason !== null);
      if (refused !== undefined)
        return callback(new RefusedAddress(`${hostname} resolves to a refused address: ${refused}`), '', 0);
      const first = addresses[0];
      if (!first) return callback(new RefusedAddress(`${hostname} resolves to no address`), '', 0);
      // Node asks for one address or for all of them, by the same signature.
      if ((options as { all?: boolean }).all)
        (callback as unknown as (e: null, a: typeof addresses) => void)(null, addresses);
      else callback(null, first.address, first.family || isIP(first.address));
    });
  };
}

/** Reads up to 1 KiB as text; what is longer ends the connection instead of being read. */
async function readExcerpt(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > EXCERPT_BYTES) break;
  }
  // Postgres takes no NUL in a text.
  return Buffer.concat(chunks).subarray(0, EXCERPT_BYTES).toString('utf8').replaceAll('\0', '');
}

function describe(error: unknown, timedOut: boolean, timeoutMs: number): string {
  const { name, message, code } = error as { name?: string; message?: string; code?: string };
  if (timedOut || error instanceof errors.HeadersTimeoutError || error instanceof errors.ConnectTimeoutError) {
    return `timeout: no answer within ${timeoutMs / 1000} s`;
  }
  if (name === 'RefusedAddress') return `blocked: ${message}`;
  if (code === 'ECONNREFUSED') return 'refused: nothing listens at this address';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'dns: the host name does not resolve';
  if (code?.startsWith('ERR_TLS') || /CERT|SSL|self-signed|unable to verify/i.test(`${code} ${message}`))
    return `tls: ${message}`;
  return `connection: ${message || code || name || 'failed'}`;
}
