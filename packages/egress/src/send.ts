import { type Message, message } from '@pts/core/languages/message';
import { refuseUrl, type UrlPolicy } from '@pts/core/url-policy';
import { LRUCache } from 'lru-cache';
import { Client, type Dispatcher, Pool } from 'undici';
import { type ConnectionLine, createConnector, parseProxy, type Resolver } from './connect.ts';
import { NO_TRACE, PushExchange, type Sent, type StartTimer } from './exchange.ts';

export type { Resolver } from './connect.ts';
export type { Sent, Trace } from './exchange.ts';
export { EXCERPT_BYTES } from './exchange.ts';

type Push = { url: string; headers: Record<string, string>; body: string | Uint8Array };

export type SendPush = (push: Push) => Promise<Sent>;

export type Sender = { send: SendPush; close(): Promise<void> };

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
      const line: ConnectionLine = { connection: null };
      return new LineClient(url, { ...(clientOptions as Client.Options), connect: connector(line) }, line);
    };
    return new Pool(origin, { ...poolOptions, factory });
  }, options.connectionTtlMs ?? CONNECTION_TTL_MS);
  return {
    send: ({ url, headers, body }) =>
      new Promise((resolve, reject) => {
        const target = targets(url);
        if (target.refused !== null) {
          const reason = message('no_answer.blocked', { fault: target.refused });
          resolve({ kind: 'no_answer', durationMs: 0, cause: 'blocked', reason, detail: null, trace: NO_TRACE });
          return;
        }
        const { origin, path } = target;
        const exchange = new PushExchange(timeoutMs, resolve, reject, startTimer);
        const request: ExchangeOptions = { origin, path, method: 'POST', headers, body, exchange };
        pools.of(origin).dispatch(request, exchange);
      }),
    close: () => pools.destroy(),
  };
}

type Target = { refused: Message } | { refused: null; origin: string; path: string };

/** Thousands of pushes use the same receiver's address. */
const MAX_CACHED = 2000;

/** Parses and checks receivers' URLs; the results are cached. */
function createTargets(policy: UrlPolicy): (url: string) => Target {
  const cache = new LRUCache<string, Target>({ max: MAX_CACHED, memoMethod: (url) => read(url, policy) });
  return (url) => cache.memo(url);
}

function read(text: string, policy: UrlPolicy): Target {
  const refused = refuseUrl(text, policy);
  if (refused !== null) return { refused };
  const url = new URL(text);
  return { refused, origin: url.origin, path: `${url.pathname}${url.search}` };
}

/** A request that knows its exchange: between here and the sender, the HTTP client may wrap the handler. */
type ExchangeOptions = Dispatcher.DispatchOptions & { exchange: PushExchange };

/** A client of one connection that passes each exchange the line that it uses. */
class LineClient extends Client {
  readonly #line: ConnectionLine;

  constructor(origin: URL, options: Client.Options, line: ConnectionLine) {
    super(origin, options);
    this.#line = line;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions & Partial<ExchangeOptions>,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    if (options.exchange) options.exchange.line = this.#line;
    return super.dispatch(options, handler);
  }
}

/** Pools of connections to receivers, one per origin. */
type Pools = {
  of(origin: string): Pool;
  /** Destroys all connections, including requests in flight. */
  destroy(): Promise<void>;
};

/**
 * Each pool is replaced after `ttlMs`, so that a changed DNS name is resolved and checked again, and
 * idle connections are released. An old pool finishes its requests in flight. (The
 * client's own `clientTtl` looks at every connection for every push.)
 */
function createPools(make: (origin: string) => Pool, ttlMs: number): Pools {
  /** The oldest first. */
  const pools = new Map<string, { pool: Pool; madeAt: number }>();
  const retiring = new Set<Pool>();

  const retire = (pool: Pool) => {
    retiring.add(pool);
    const forget = () => retiring.delete(pool);
    pool.close().then(forget, forget);
  };
  const retireOld = (now: number) => {
    for (const [origin, { pool, madeAt }] of pools) {
      if (now - madeAt < ttlMs) return;
      pools.delete(origin);
      retire(pool);
    }
  };
  return {
    of(origin) {
      const now = performance.now();
      const known = pools.get(origin);
      if (known && now - known.madeAt < ttlMs) return known.pool;
      retireOld(now);
      const pool = make(origin);
      pools.set(origin, { pool, madeAt: now });
      return pool;
    },
    destroy: async () => {
      const all = [...retiring, ...[...pools.values()].map(({ pool }) => pool)];
      pools.clear();
      await Promise.all(all.map((pool) => pool.destroy()));
    },
  };
}
