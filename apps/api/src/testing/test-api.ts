import { randomBytes } from 'node:crypto';
import type { CallbackReceiver } from '@pts/carriers/providers/callback-receivers';
import { knownProviders } from '@pts/carriers/providers/configured';
import type { WantedKey } from '@pts/core/account/key-grant';
import { PLAN_QUOTAS, type Plan } from '@pts/core/account/plan';
import { parseAllowList } from '@pts/core/address/address-policy';
import { findKeyHolder } from '@pts/db/accounts/keys';
import { type Db, openDatabase } from '@pts/db/connection/client';
import { readPrimary } from '@pts/db/connection/replica';
import { createSender, type Resolver } from '@pts/egress/send';
import type { QueueConnection } from '@pts/queue/connection';
import { createProducer } from '@pts/queue/producer';
import { openSignals } from '@pts/queue/signals';
import { createOpaqueTokens, type OpaqueTokens } from '@pts/runtime/encryption/opaque-tokens';
import { createPageTokens } from '@pts/runtime/encryption/page-tokens';
import { createSecretCipher } from '@pts/runtime/encryption/secret-cipher';
import { tokenKeysFrom } from '@pts/runtime/encryption/token-keys';
import { createLogger } from '@pts/runtime/logger';
import { addKey } from '@pts/service/accounts/add-key';
import { createAccount } from '@pts/service/accounts/create';
import { noteKeyUse } from '@pts/service/accounts/note-key-use';
import { createEstimator } from '@pts/service/estimates/estimator';
import { createLearnedPrefixes } from '@pts/service/trackings/learned';
import { PATIENT, testDatabase } from '@pts/testing/database';
import { listen } from '@pts/testing/http-server';
import { testQueue } from '@pts/testing/queue';
import { redisUrlOn } from '@pts/testing/stores';
import { createApp } from '../app.ts';
import type { ApiDeps } from '../deps.ts';
import { createAuthenticator } from '../http/authenticate.ts';
import { createBulkhead } from '../http/limits/account-bulkhead.ts';
import { createLimiter } from '../http/limits/limits.ts';
import { createApiServer } from '../http/server.ts';
import { createApiMetrics } from '../metrics.ts';
import { readSite, type Site } from '../site.ts';
import { createEventHub } from '../streaming/event-hub.ts';
import { createAnswerHub } from '../streaming/hub.ts';
import { EVENT_STREAMS, STREAM_TIMES } from '../streaming/times.ts';
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
  /** The providers whose callbacks are received. Default: none. */
  callbackReceivers?: readonly CallbackReceiver[];
  /** How long a request waits for its database, in milliseconds. Default: as long as a busy machine needs. */
  databaseMs?: number;
  /** Another connection to the queue. */
  queue?: QueueConnection;
  /** How long a request waits for its count. A count in memory is less exact, and a busy machine must not lead to one. */
  limitPatienceMs?: number;
} & Partial<ApiDeps>;

/** The same for all. */
let site: Site | undefined;

/** The API on a free port, on real servers, every answer checked against its schema. Only limits and clock are chosen. */
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
    callbackReceivers = [],
    databaseMs,
    limitPatienceMs = 30_000,
    queue: otherQueue,
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
  const stopping = new AbortController();
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
  const urlPolicy = { allowHttp: true, allowed: parseAllowList(['127.0.0.1']) };
  const sender = createSender({ policy: urlPolicy, timeoutMs: 30_000, resolver: NO_NAMES, refusalMs: 1 });
  const service = {
    db,
    producer,
    bulkhead: createBulkhead(),
    reads: readPrimary(db),
    estimator: createEstimator(db),
    providers: knownProviders({ SANDBOX_URL: 'http://127.0.0.1:9', TEST_CARRIER_URL: 'http://127.0.0.1:9' }),
    sandbox: true,
    hasTestMode: true,
    learned: createLearnedPrefixes({ db, now: () => new Date() }),
    send: sender.send,
    logger,
    secretCipher: createSecretCipher(randomBytes(32).toString('base64')),
    tokens: createOpaqueTokens(tokenKeysFrom(randomBytes(32).toString('base64'))),
    pageTokens: createPageTokens(tokenKeysFrom(randomBytes(32).toString('base64'))),
    urlPolicy,
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
  const app = createApp({
    deps: service,
    authenticator: createAuthenticator({
      find: (key) => findKeyHolder(db, key),
      limiter,
      monotonicMs: keyClock,
      now: () => service.now(),
      onUse: (holder) => noteKeyUse(service, holder),
    }),
    limiter,
    publicBaseUrl: undefined,
    checkResponses: true,
    logger,
    metrics: createApiMetrics(),
    site,
    callbackReceivers,
    trustProxy,
    compatV4: true,
    databaseMs: patience.statementMs,
    isOpen: () => true,
  });
  const server = await listen(createApiServer(app, logger));
  const { url } = server;
  return {
    db,
    tokens: service.tokens,
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
      const answer = { status: response.status, headers: response.headers, body: answered };
      if (checkDocument) checkAgainstDocument(method, new URL(response.url), answer);
      return answer;
    },
    close: async () => {
      await server.close();
      await producer.close();
      await Promise.all([queue.close(), signals.close(), limiter.close(), sender.close(), db.$disconnect()]);
      await database?.close();
    },
  };
}
