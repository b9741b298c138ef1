import { randomBytes } from 'node:crypto';
import { type CallbackReceiver, knownProviders } from '@pts/carriers/providers/configured';
import { carrierUrl } from '@pts/carriers/registry/pages';
import { FULL_GRANT, PLAN_QUOTAS, type Plan, type WantedKey } from '@pts/core/account';
import { parseAllowList } from '@pts/core/url-policy';
import { findKeyHolder, type KeyHolder } from '@pts/db/accounts/accounts';
import { type Db, openDatabase } from '@pts/db/connection';
import { readPrimary } from '@pts/db/replica';
import type { Resolver } from '@pts/egress/connect';
import { createSender, type Sender } from '@pts/egress/send';
import { openSignals, type Signals } from '@pts/queue/signals';
import type { QueueConnection } from '@pts/queue/store';
import { createProducer, type Producer } from '@pts/queue/wake';
import { createSecretCipher } from '@pts/runtime/encryption/keyring';
import { createOpaqueTokens, createPageTokens, type OpaqueTokens, tokenKeysFrom } from '@pts/runtime/encryption/tokens';
import { createLogger, type Logger } from '@pts/runtime/logger';
import { addKey, createAccount, noteKeyUse } from '@pts/service/accounts';
import { createEstimator } from '@pts/service/estimates';
import { createLearnedPrefixes } from '@pts/service/trackings/learned';
import { PATIENT, testDatabase } from '@pts/testing/database';
import { listen } from '@pts/testing/http-server';
import { testQueue } from '@pts/testing/queue';
import { redisUrlOn } from '@pts/testing/stores';
import { createApp } from '../app.ts';
import type { ApiDeps } from '../deps.ts';
import { authenticateOperators, createAuthenticator } from '../http/authenticate.ts';
import { createBulkhead } from '../http/bulkhead.ts';
import { createLimiter, type Limiter } from '../http/limits/limits.ts';
import { createApiServer } from '../http/server.ts';
import { createApiMetrics } from '../metrics.ts';
import type { OidcSettings } from '../session.ts';
import { readSite, type Site } from '../site/files.ts';
import { createAnswerHub, createEventHub, EVENT_STREAMS, STREAM_TIMES } from '../streaming/hubs.ts';
import { checkAgainstDocument, checkFieldsNamed } from './test-contract.ts';

/** No push leaves the machine. */
const NO_NAMES: Resolver = (hostname, _options, callback) =>
  callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' }), []);

export type ApiAnswer = {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever its operation answers
  body: { code: number; meta: number; message: string; data: any };
};

export type TestApi = {
  db: Db;
  tokens: OpaqueTokens;
  url: string;
  /** A new account for a test. */
  account(more?: { plan?: Plan; quota?: number }): Promise<{ id: string; key: string }>;
  /** Another key of an account. */
  key(accountId: string, wanted: WantedKey): Promise<{ id: string; apiKey: string }>;
  call(
    method: string,
    path: string,
    more?: { key?: string; body?: unknown; raw?: string; headers?: Record<string, string> },
  ): Promise<ApiAnswer>;
  close(): Promise<void>;
};

type Options = {
  store?: 'redis' | 'postgres';
  limits?: string[];
  /** A window in which many requests fit, however slow the machine. */
  limitWindowSeconds?: number;
  /** The same for invalid keys. Default: a minute, as in production. */
  authWindowSeconds?: number;
  redisUrl?: string;
  databaseUrl?: string;
  prefix?: string;
  /** Whether responses, refusals included, must match the OpenAPI document; the default is true. */
  checkDocument?: boolean;
  /** Gets the lines of the log, which are kept from the output. */
  log?: (line: string) => void;
  trustProxy?: string;
  /** The clock for the cache of valid keys. */
  keyClock?: () => number;
  /** Whether there are operations for operators' keys; the default is true. */
  operatorApi?: boolean;
  /** The providers whose callbacks are received. Default: none. */
  callbackReceivers?: readonly CallbackReceiver[];
  /** How long a request waits for its database, in milliseconds. Default: as long as a busy machine needs. */
  databaseMs?: number;
  /** The identity provider that people sign in with. Default: none. */
  oidc?: OidcSettings;
  /** Another connection to the queue. */
  queue?: QueueConnection;
  /**
   * How long a request waits for its count. A count in memory is less exact, and a busy machine must not lead to one.
   */
  limitPatienceMs?: number;
} & Partial<ApiDeps>;

const URL_POLICY = { allowHttp: true, allowed: parseAllowList(['127.0.0.1']) };

/** The same for all. */
let site: Site | undefined;

/**
 * The API on a free port, on real servers, every answer checked against its schema. Only limits and clock are chosen.
 */
export async function startTestApi(options: Options = {}): Promise<TestApi> {
  const {
    store = 'redis',
    limits = ['off'],
    limitWindowSeconds = 1,
    authWindowSeconds = 60,
    redisUrl,
    prefix = `{limit-${randomBytes(6).toString('hex')}}`,
    checkDocument = true,
    log,
    trustProxy = '0',
    keyClock = Date.now,
    operatorApi = true,
    callbackReceivers = [],
    databaseMs,
    limitPatienceMs = 30_000,
    queue: otherQueue,
    oidc,
    ...deps
  } = options;
  const database = options.databaseUrl === undefined ? await testDatabase() : null;
  const databaseUrl = database?.url ?? options.databaseUrl ?? '';
  const level = log ? 'info' : 'silent';
  const logger = createLogger({ app: 'api', level, format: 'json', ...(log ? { write: log } : {}) });
  const patience = databaseMs === undefined ? PATIENT : { connectMs: databaseMs, statementMs: databaseMs };
  const db = openDatabase({ url: databaseUrl, poolSize: 10, ...patience });
  const queue = await testQueue(store, databaseUrl);
  const producer = createProducer(otherQueue ?? queue, () => {});
  const signals = openSignals({ ...queue.options, onError: () => {} });
  const limiter = createLimiter({
    redisUrl: redisUrl ?? redisUrlOn(store),
    databaseUrl,
    prefix,
    breaker: (otherQueue ?? queue).breaker,
    changes: limits,
    windowSeconds: limitWindowSeconds,
    authWindowSeconds,
    patienceMs: limitPatienceMs,
    logger,
  });
  const sender = createSender({ policy: URL_POLICY, timeoutMs: 30_000, resolver: NO_NAMES, refusalMs: 1 });
  const { now = () => new Date() } = deps;
  const served = await serveApi({
    db,
    producer,
    signals,
    limiter,
    logger,
    send: sender.send,
    find: (key) => findKeyHolder(db, key),
    onUse: (holder) => noteKeyUse({ db, now }, holder),
    keyClock,
    operatorApi,
    callbackReceivers,
    trustProxy,
    oidc,
    deps,
  });
  const { url } = served;
  return {
    db,
    tokens: served.tokens,
    url,
    account: async ({ plan = 'pro', quota } = {}) => {
      const more = quota === undefined ? {} : { quotaOverride: quota };
      const created = await createAccount({ db, now: () => new Date() }, { name: 'merchant', plan, ...more });
      return { id: created.account.id, key: created.key.apiKey };
    },
    key: (id, wanted) => addKey({ db, now: () => new Date() }, { id }, wanted),
    call: async (method, path, { key, body, raw, headers = {} } = {}) => {
      const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const response = await fetch(path.startsWith('http') ? path : `${url}/api/v1${path}`, {
        method,
        headers: {
          ...(key ? { 'X-API-Key': key } : {}),
          ...(text === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(text === undefined ? {} : { body: text }),
      });
      const answered = (await response.json()) as ApiAnswer['body'];
      checkFieldsNamed(answered);
      if (!path.startsWith('http')) checkPrivate(response.headers);
      const answer = { status: response.status, headers: response.headers, body: answered };
      if (checkDocument) checkAgainstDocument(method, new URL(response.url), answer);
      return answer;
    },
    close: async () => {
      await served.close();
      await producer.close();
      await Promise.all([queue.close(), signals.close(), limiter.close(), sender.close(), db.$disconnect()]);
      await database?.close();
    },
  };
}

type Served = {
  db: Db;
  producer: Producer;
  signals: Signals;
  limiter: Limiter;
  logger: Logger;
  send: Sender['send'];
  find(apiKey: string): Promise<KeyHolder | null>;
  onUse?(holder: KeyHolder): void;
  keyClock?(): number;
  operatorApi?: boolean;
  callbackReceivers?: readonly CallbackReceiver[];
  trustProxy?: string;
  oidc?: OidcSettings | undefined;
  deps?: Partial<ApiDeps>;
};

/** The app on a free port, with what a test chooses. */
async function serveApi(served: Served) {
  const { db, producer, signals, limiter, logger, send, find, onUse = () => {}, keyClock = Date.now } = served;
  const { callbackReceivers = [], trustProxy = '0', oidc, operatorApi = true, deps = {} } = served;
  const stopping = new AbortController();
  const service = {
    db,
    producer,
    bulkhead: createBulkhead(),
    reads: readPrimary(db),
    estimator: createEstimator(db),
    providers: knownProviders({ SANDBOX_URL: 'http://127.0.0.1:9', TEST_CARRIER_URL: 'http://127.0.0.1:9' }),
    sandbox: true,
    hasTestMode: true,
    hasSignIn: true,
    learned: createLearnedPrefixes({ db, now: () => new Date() }),
    send,
    logger,
    secretCipher: createSecretCipher(randomBytes(32).toString('base64')),
    tokens: createOpaqueTokens(tokenKeysFrom(randomBytes(32).toString('base64'))),
    pageTokens: createPageTokens(tokenKeysFrom(randomBytes(32).toString('base64'))),
    pages: { ofCarrier: carrierUrl },
    urlPolicy: URL_POLICY,
    quotas: PLAN_QUOTAS,
    monitoredSeconds: 300,
    idleSeconds: 3600,
    safetyNetSeconds: 21_600,
    retentionDays: 30,
    signals,
    streams: {
      hub: createAnswerHub(signals),
      ...STREAM_TIMES,
      events: { hub: createEventHub(signals, EVENT_STREAMS.maxPerProcess), ...EVENT_STREAMS },
      stopping: stopping.signal,
    },
    now: () => new Date(),
    ...deps,
  };
  site ??= readSite(undefined);
  const keyed = { limiter, monotonicMs: keyClock, now: () => service.now() };
  const app = createApp({
    deps: service,
    authenticator: createAuthenticator({ ...keyed, hasSignIn: service.hasSignIn, find, onUse }),
    operatorAuthenticator: operatorApi ? authenticateOperators(service, keyed) : null,
    limiter,
    publicBaseUrl: undefined,
    checkResponses: true,
    logger,
    metrics: createApiMetrics(),
    site,
    oidc,
    callbackReceivers,
    trustProxy,
    compatV4: true,
    isOpen: () => true,
  });
  const server = await listen(createApiServer(app, logger));
  return { tokens: service.tokens, url: server.url, close: () => server.close() };
}

/** No cache keeps an answer, also where it ignores that it is private: whose it is depends on the key. */
export function checkPrivate(headers: Headers): void {
  expect(headers.get('Cache-Control')).toMatch(/^no-store(, no-transform)?$/);
  expect(headers.get('Vary')).toMatch(/\bX-API-Key, Tracking-Api-Key\b/);
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
}

/** What throws when it is touched, so that the answer is an internal error. */
const untouchable = <T extends object>(what: string): T =>
  new Proxy({} as T, {
    get: () => {
      throw new Error(`${what} was touched`);
    },
  });

/** The API without servers, for requests that it answers itself: any key is that of one account. */
export async function startBareApi(log: (line: string) => void = () => {}) {
  const [id, createdAt] = ['a'.repeat(24), new Date()];
  const account = {
    id,
    quotaOverride: null,
    disabledAt: null,
    testOf: null,
    include: [],
    language: null,
    attention: null,
    createdAt,
    name: 'merchant',
    plan: 'pro' as const,
  };
  const key = { ...FULL_GRANT, id, hint: '', createdAt, lastUsedAt: null, memberId: null };
  return serveApi({
    db: untouchable<Db>('the database'),
    producer: untouchable<Producer>('the queue'),
    signals: untouchable<Signals>('a signal'),
    limiter: {
      take: async () => null,
      takeAuthFailure: async () => true,
      takeLookup: async () => true,
      close: async () => {},
    },
    logger: createLogger({ app: 'api', level: 'info', format: 'json', write: log }),
    send: () => Promise.reject(new Error('a push was sent')),
    find: async () => ({ account, key }),
  });
}
