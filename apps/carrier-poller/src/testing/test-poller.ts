import type { ConnectedProvider, ProviderLimits, Question } from '@pts/carriers/provider';
import { carrierUrl } from '@pts/carriers/registry/pages';
import type { CarrierAnswer, FailedAnswer, Failure } from '@pts/core/tracking/answer';
import type { Scan } from '@pts/core/tracking/scan';
import type { EventKind } from '@pts/core/tracking/status';
import type { Cadence } from '@pts/db/checks/schedule';
import { type Db, openDatabase } from '@pts/db/connection';
import { findTracking } from '@pts/db/trackings/records';
import type { Registration } from '@pts/db/trackings/register';
import type { ParcelsJob } from '@pts/queue/catalog';
import type { Store } from '@pts/queue/connection';
import { createProducer } from '@pts/queue/wake';
import { createLogger } from '@pts/runtime/logger';
import { createEstimator } from '@pts/service/estimates';
import { PATIENT, testDatabase } from '@pts/testing/database';
import { newAccount, newTrackings, newWebhook } from '@pts/testing/factories';
import { testQueue } from '@pts/testing/queue';
import { createSave } from '../answers.ts';
import { apartFor } from '../callbacks.ts';
import type { AskLoop, PollerDeps, ProviderWork } from '../deps.ts';
import { breakerOf, createProviderMemory, type ProviderMemory } from '../memory.ts';
import { createPollerMetrics } from '../metrics.ts';
import { createCalls } from '../pace.ts';
import { createAskLoop } from '../poller.ts';

export type Clock = { now(): Date; pass(seconds: number): void };

function testClock(start = '2031-04-05T06:00:00.000Z'): Clock {
  let at = Date.parse(start);
  return {
    now: () => new Date(at),
    pass: (seconds) => {
      at += seconds * 1000;
    },
  };
}

export const CADENCE: Cadence = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };

const NEVER = new AbortController();

/** A database, a queue under its own prefix and a clock, for the poller of one test file. */
export async function openPollerTest(store: Store = 'redis') {
  const database = await testDatabase();
  const db = openDatabase({ url: database.url, poolSize: 8, ...PATIENT });
  const queue = await testQueue(store, database.url);
  const producer = createProducer(queue, () => {});
  const clock = testClock();
  /** Parcels whose first answer was signalled. */
  const answered: string[] = [];
  const metrics = createPollerMetrics();
  /** What the process remembers of each provider: those of different tests have the same name. */
  const memories = new WeakMap<ConnectedProvider, ProviderMemory>();
  const memoryOf = (provider: ConnectedProvider) => {
    const memory = memories.get(provider) ?? createProviderMemory();
    memories.set(provider, memory);
    return memory;
  };
  const estimator = createEstimator(db);
  const logger = createLogger({ app: 'test', level: 'silent', format: 'json' });
  const depsFor = (provider: ConnectedProvider, changed: Partial<PollerDeps> = {}): PollerDeps => {
    const deps: Omit<PollerDeps, 'save'> = {
      db,
      producer,
      providers: [provider],
      provider,
      breaker: breakerOf(provider),
      logger,
      metrics,
      memory: memoryOf(provider),
      estimator,
      pages: { ofCarrier: carrierUrl },
      now: clock.now,
      stopCalls: NEVER.signal,
      signals: { publish: async (topic, ids) => void (topic === 'answered' && answered.push(...ids)) },
      pace: { permit: async () => 0, isFar: () => false, calls: createCalls() },
      cadence: { ...CADENCE, floorSeconds: provider.limits.floorSeconds },
      callback: null,
      ...changed,
    };
    return { save: createSave(deps), ...deps };
  };
  return {
    db,
    databaseUrl: database.url,
    queue,
    producer,
    clock,
    answered,
    depsFor,
    /** The calls to a provider, as a poller makes them. */
    loopFor: (deps: PollerDeps) => createAskLoop(deps, apartFor(deps, 'subscribe'), () => false),
    /** What a whole poller of these providers is started with. */
    optionsFor: (providers: readonly ConnectedProvider[], changed: Partial<PollerDeps> = {}) => {
      const [first = scriptedProvider(() => found())] = providers;
      const settingsOf = (provider: ConnectedProvider) => {
        const { cadence, pace, callback } = depsFor(provider, changed);
        return { cadence, pace, callback };
      };
      return { queue, installation: { ...depsFor(first, changed), providers }, settingsOf };
    },
    /** An account with an endpoint for each list of events. @returns its id. */
    account: async (...endpoints: EventKind[][]) => {
      const id = await newAccount(db, clock.now());
      for (const events of endpoints) await newWebhook(db, id, clock.now(), { events });
      return id;
    },
    /** Registers a number as due now. @returns the tracking's id. */
    watch: async (accountId: string, number: string, more: Partial<Registration> = {}) => {
      const [id = ''] = await newTrackings(db, accountId, [number], clock.now(), more);
      return id;
    },
    /** What a job says of some parcels. */
    parcels: async (...ids: string[]): Promise<ParcelsJob> => {
      const found = await db.tracking.findMany({ where: { id: { in: ids } }, select: { accountId: true } });
      return { ids, accounts: found.map(({ accountId }) => accountId) };
    },
    tracking: (id: string) => db.tracking.findUniqueOrThrow({ where: { id } }),
    check: (id: string) => db.check.findUnique({ where: { trackingId: id } }),
    /** Seconds until its check is due. */
    dueIn: async (id: string) => {
      const record = await db.tracking.findUniqueOrThrow({ where: { id } });
      const tracking = await findTracking(db, record.accountId, id);
      return ((tracking?.nextCheckAt?.getTime() ?? Number.NaN) - clock.now().getTime()) / 1000;
    },
    /** The kinds of the events a parcel emitted, in their order. */
    emitted: async (id: string) => {
      const rows = await db.message.findMany({ where: { trackingId: id }, orderBy: { seq: 'asc' } });
      return rows.map(({ event }) => event);
    },
    close: async () => {
      await producer.close();
      await queue.close();
      await db.$disconnect();
      await database.close();
    },
  };
}

export type PollerTest = Awaited<ReturnType<typeof openPollerTest>>;

/** A carrier that answers as the test says, and records what it was asked. */
export function scriptedProvider(
  answer: (question: Question) => CarrierAnswer | Promise<CarrierAnswer>,
  { name = 'scripted', ...limits }: Partial<ProviderLimits> & { name?: string } = {},
): ConnectedProvider & { calls: string[][] } {
  const calls: string[][] = [];
  return {
    name,
    limits: { batchSize: 40, callsPerSecond: 1000, concurrency: 4, floorSeconds: 0, ...limits },
    serves: () => true,
    calls,
    ask: async (questions) => {
      calls.push(questions.map(({ number }) => number));
      return Promise.all(questions.map(answer));
    },
  };
}

/** Providers as the environment configures them, for a whole poller. */
export function configuredAs(...providers: ConnectedProvider[]) {
  return { connect: () => providers, off: [] };
}

export function scan(minute: number, status: Scan['status'], description: string = status): Scan {
  const time = new Date(Date.UTC(2031, 3, 1, 0, minute)).toISOString().replace('.000Z', 'Z');
  return { time, timeRaw: time, zoneSource: 'carrier', location: 'Fennbrook', description, status };
}

export const found = (...scans: Scan[]): CarrierAnswer => ({ kind: 'found', scans });
export const failed = (failure: Failure, retryAfterSeconds?: number): FailedAnswer => ({
  kind: 'failed',
  failure,
  message: `the carrier said ${failure}`,
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});

/** Calls that a sweep starts, and that are not made. */
export function recordingLoop(): AskLoop & { started: ProviderWork[] } {
  const started: ProviderWork[] = [];
  return {
    started,
    start: (ask) => started.push(ask) > 0,
    busy: () => 0,
    room: () => 100,
    waiting: () => 0,
    hasFree: () => true,
    whenRoom: async () => true,
    isClosed: () => false,
    close: async () => {},
  };
}

/** A database for a process that is killed after the statements of a hot transaction, before its commit. */
export function killedBeforeCommit(db: Db): Db {
  const $hotTransaction: Db['$hotTransaction'] = (work, planner) =>
    db.$hotTransaction(async (tx) => {
      await work(tx);
      throw new Error('killed');
    }, planner);
  return { ...db, $hotTransaction };
}

/** A database that must not be touched: whatever is done with it throws. */
export const untouchable = new Proxy({} as Db, {
  get: (_db, property) => {
    throw new Error(`the database was touched: ${String(property)}`);
  },
});
