import type { UrlPolicy } from '@pts/core/url-policy';
import { type Client, Pool } from 'undici';
import type { Line } from './connection.ts';
import { createConnector } from './connector.ts';
import { Exchange, type StartTimer } from './exchange.ts';
import { type ExchangeOptions, LineClient } from './line.ts';
import type { Resolver } from './look-up.ts';
import { createPools } from './pools.ts';
import { parseProxy } from './proxy.ts';
import type { Sent } from './sent.ts';
import { createTargets } from './targets.ts';
import { NO_TRACE } from './trace.ts';

export { EXCERPT_BYTES } from './excerpt.ts';
export type { Resolver } from './look-up.ts';
export type { Sent } from './sent.ts';
export type { Trace } from './trace.ts';

export type Push = { url: string; headers: Record<string, string>; body: string | Uint8Array };

export type Send = (push: Push) => Promise<Sent>;

export type Sender = { send: Send; close(): Promise<void> };

const CONNECTION_TTL_MS = 60_000;

/**
 * A client for receivers' addresses (spec section 6.4): never follows a redirect, never retries, ends after
 * `timeoutMs` from start to last byte, reads at most 1 KiB of the answer, and connects only to addresses that the
 * policy allows: every address of a name is checked, and the connection goes to a checked one.
 * @param options.proxyUrl a proxy that all pushes leave through; a fault of it makes `send` throw.
 * @param options.startTimer the timer for `timeoutMs`, if it is not the real one.
 * @param options.refusalMs a name that cannot be used fails at a multiple of this time.
 * @param options.ca PEM certificates trusted in addition to the well-known ones, by receivers' and the proxy's TLS.
 */
export function createSender(options: {
  policy: UrlPolicy;
  timeoutMs: number;
  connectionsPerReceiver?: number | undefined;
  connectionTtlMs?: number | undefined;
  resolver?: Resolver | undefined;
  proxyUrl?: string | undefined;
  ca?: string | undefined;
  startTimer?: StartTimer | undefined;
  refusalMs?: number | undefined;
}): Sender {
  const { policy, timeoutMs, resolver, ca, refusalMs, startTimer = setTimeout } = options;
  const proxy = options.proxyUrl === undefined ? undefined : { ...parseProxy(options.proxyUrl), ...(ca && { ca }) };
  const targets = createTargets(policy);
  const poolOptions: Pool.Options = {
    connections: options.connectionsPerReceiver ?? 32,
    // The exchange's own timer bounds everything; the client's timeouts are not needed.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 30_000,
    keepAliveMaxTimeout: 30_000,
    maxHeaderSize: 16_384,
    pipelining: 1,
  };
  const pools = createPools((origin) => {
    const connector = createConnector({ allowed: policy.allowed, resolver, proxy, ca, refusalMs });
    const factory = (url: URL, clientOptions: object) => {
      const line: Line = { connection: null };
      return new LineClient(url, { ...(clientOptions as Client.Options), connect: connector(line) }, line);
    };
    return new Pool(origin, { ...poolOptions, factory });
  }, options.connectionTtlMs ?? CONNECTION_TTL_MS);
  return {
    send: ({ url, headers, body }) =>
      new Promise((resolve, reject) => {
        const target = targets(url);
        if (target.refused !== null) {
          const reason = `blocked: ${target.refused}`;
          resolve({ kind: 'no_answer', durationMs: 0, cause: 'blocked', reason, detail: null, trace: NO_TRACE });
          return;
        }
        const { origin, path } = target;
        const exchange = new Exchange(timeoutMs, resolve, reject, startTimer);
        const request: ExchangeOptions = { origin, path, method: 'POST', headers, body, exchange };
        pools.of(origin).dispatch(request, exchange);
      }),
    close: () => pools.destroy(),
  };
}
