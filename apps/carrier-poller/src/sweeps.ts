import { setTimeout as delay } from 'node:timers/promises';
import type { Provider } from '@pts/carriers/provider';
import { routeFor } from '@pts/carriers/providers/configured';
import { carriers } from '@pts/carriers/registry/registry';
import { chunks } from '@pts/core/chunks';
import { OUT_SECONDS } from '@pts/core/notices';
import { TEST_PROVIDER } from '@pts/core/provider';
import { type ClaimedCheck, EXPIRES_AFTER_DAYS } from '@pts/core/tracking/schedule';
import { analyzeGrown } from '@pts/db/analyze';
import { claimWatches, clearMarks, emitAttention, findAttention, followAttention, type Watch } from '@pts/db/attention';
import { expireTrackings } from '@pts/db/checks/answers';
import {
  type Destination,
  findExpired,
  followCadence,
  giveBackChecks,
  leaveSafetyNet,
  type MovedCheck,
  moveDueChecks,
  moveToMonitored,
  moveUnknownChecks,
  type Route,
  readBacklogs,
  takeDue,
} from '@pts/db/checks/schedule';
import { sendNotices } from '@pts/db/deliveries/pending';
import { learnLanes } from '@pts/db/lanes';
import { forgetLearned } from '@pts/db/learned-prefixes';
import { findBack, findExpiring, findFailing, findOut, findRecovered, noteOut } from '@pts/db/notices';
import { listPauses, type ProviderPause, providersAtRate, takeProbe } from '@pts/db/providers';
import { foldStats } from '@pts/db/stats';
import { queryQueue } from '@pts/queue/catalog';
import { POSTGRES_SCHEMA } from '@pts/queue/postgres/schema';
import { type Loop, lookEveryMs, startLoop } from '@pts/runtime/process/loop';
import { isLive } from '@pts/service/accounts';
import { samplesOf } from '@pts/service/estimates';
import { transitOf } from '@pts/service/stats';
import { leaveProvider, tryOthersWhilePaused } from './answers.ts';
import { createWatcherSweep, sweepForgotten } from './callbacks.ts';
import type { AskLoop, PollerDeps, Rounds } from './deps.ts';
import { learnOutage } from './outages.ts';
import { isSlow, MAX_WAIT_SECONDS } from './pace.ts';

const FORGET_EVERY_MS = 60_000;
const EXPIRE_EVERY_MS = 60_000;
/** How soon attention that begins causes its event. */
const ATTENTION_EVERY_MS = 15_000;
/** How soon a notice is found and sent. */
const NOTICES_EVERY_MS = 10_000;
/** In this time, an import adds some ten thousand rows. */
const ANALYZE_EVERY_MS = 2000;
const ROUTES_EVERY_MS = 30_000;
const LEARN_EVERY_MS = 60_000;
const STATS_EVERY_MS = 5000;
const WATCHERS_EVERY_MS = 10_000;
const CADENCE_EVERY_MS = 60_000;

/** Starts the sweeps over the checks of all providers, with the dependencies of any of them. */
export function startSweeps(
  parts: readonly PollerDeps[],
  { start, sweepIntervalMs, took }: Pick<Rounds, 'start' | 'sweepIntervalMs' | 'took'>,
): Loop[] {
  const [deps] = parts;
  if (!deps) return [];
  const { db, providers, logger } = deps;
  return [
    start('expire', EXPIRE_EVERY_MS, () => sweepExpired(deps)),
    start('attention', ATTENTION_EVERY_MS, () => sweepAttention(deps)),
    start('notices', NOTICES_EVERY_MS, () => sweepNotices(deps)),
    start('monitored', sweepIntervalMs, () => sweepMonitored(deps)),
    start('statistics', ANALYZE_EVERY_MS, () => sweepGrown(deps)),
    start('routes', ROUTES_EVERY_MS, createRouteSweep(deps, providers.filter(isLive))),
    start('lanes', LEARN_EVERY_MS, () => sweepDelivered(deps)),
    start('stats', STATS_EVERY_MS, () => foldStats(db, transitOf)),
    start('forget', FORGET_EVERY_MS, () => sweepForgotten(deps)),
    start('forget learned', FORGET_EVERY_MS, createForgetting(deps)),
    ...(providers.some(({ callbacks }) => callbacks)
      ? [start('watchers', WATCHERS_EVERY_MS, createWatcherSweep(deps))]
      : []),
    startLoop('due', lookEveryMs(sweepIntervalMs), logger, () => reportDue({ ...deps, parts }), took),
  ];
}

/** Starts the sweeps over the checks of one provider. */
export function startProviderSweeps(
  deps: PollerDeps,
  loop: AskLoop,
  { start, isOff, sweepIntervalMs }: Rounds,
): Loop[] {
  const { name } = deps.provider;
  const rounds = createSweepRounds(sweepIntervalMs, async (spreadMs) =>
    (await isOff(queryQueue(name))) ? { more: false } : sweepDue(deps, loop, spreadMs),
  );
  return [
    start(`cadence ${name}`, CADENCE_EVERY_MS, createCadenceSweep(deps)),
    start(`sweep ${name}`, sweepIntervalMs, rounds),
  ];
}

/** Checks claimed in one statement, at most. */
const CLAIM_SIZE = 1000;
/** No more calls are claimed than the provider allows in this time: claimed checks should run soon. */
const AHEAD_SECONDS = MAX_WAIT_SECONDS / 2;
/** How long one round waits for a place. */
const ROOM_MS = 10_000;
/** The least time between two portions of calls. */
const MIN_STEP_MS = 25;
const EXPIRE_SIZE = 200;

/**
 * Claims the due checks of one provider, as many as it can be called for soon, and starts the calls. This, not the
 * queue, guarantees that a parcel is checked. A provider gets one call as a probe after a pause. Calls for wake-ups go
 * first: somebody waits for them.
 * @param spreadMs the time over which the calls start, unless more checks are due than are claimed at once.
 */
export async function sweepDue(deps: PollerDeps, loop: AskLoop, spreadMs = 0): Promise<Swept> {
  if (!(await loop.whenRoom(ROOM_MS))) return { more: !loop.isClosed() };
  const { db, provider, cadence, metrics } = deps;
  const now = deps.now();
  const pause = learnOutage(deps, await listPauses(db));
  const isPaused = pause?.pausedUntil != null && pause.pausedUntil > now;
  showPause(deps, isPaused ? pause : undefined);
  if (isPaused && pause?.pausedUntil) {
    await tryOthersWhilePaused(deps, pause.pausedUntil);
    return { more: false };
  }
  if (deps.pace.isFar()) return { more: false };
  const isProbe = pause?.pausedUntil != null;
  if (isProbe && !(await takeProbe(db, provider.name, now))) return { more: false };
  const { batchSize, callsPerSecond } = provider.limits;
  const callsAhead = Math.max(1, Math.floor(callsPerSecond * AHEAD_SECONDS));
  const calls = isProbe ? 1 : Math.min(loop.room(), callsAhead);
  const limit = Math.min(CLAIM_SIZE, calls * batchSize);
  const wanted = { provider: provider.name, limit, cadence, now, isProbe, byTurns: isSlow(provider) };
  const taken = await takeDue(db, wanted);
  deps.memory.dueSince.set(provider.name, taken.since);
  const batches = chunks(firstAnswersFirst(taken.checks), batchSize);
  await start(deps, loop, batches, taken.more ? 0 : spreadMs);
  await taken.settle();
  metrics.swept.inc({ provider: provider.name }, taken.checks.length);
  return { more: taken.more && !isProbe, calls: batches.length };
}

/**
 * Starts calls evenly over a time: if their answers arrived at once, the news of one parcel would wait for that of
 * many.
 */
async function start(deps: PollerDeps, loop: AskLoop, batches: ClaimedCheck[][], overMs: number): Promise<void> {
  const steps = Math.max(1, Math.floor(overMs / MIN_STEP_MS));
  const portions = chunks(batches, Math.ceil(batches.length / steps));
  for (const [n, portion] of portions.entries()) {
    if (n > 0) await delay(overMs / portions.length);
    for (const claimed of portion)
      if (!loop.start({ claimed }, 'late')) await giveBackChecks(deps.db, deps.provider.name, claimed, deps.now());
  }
}

/** Shows a pause to operators: in the metric, and in the detail of `/readyz`. */
function showPause({ provider: { name }, metrics, memory }: PollerDeps, pause: ProviderPause | undefined): void {
  metrics.paused.set({ provider: name }, pause ? 1 : 0);
  if (pause) memory.pauses.set(name, `paused until ${pause.pausedUntil?.toISOString()}: ${pause.reason}`);
  else memory.pauses.delete(name);
}

/** Puts checks that were never answered first, so that they are in calls that do not wait behind others. */
function firstAnswersFirst(checks: readonly ClaimedCheck[]): ClaimedCheck[] {
  const [first, others] = [checks.filter(isUnanswered), checks.filter((check) => !isUnanswered(check))];
  return [...first, ...others];
}

function isUnanswered({ fingerprint }: ClaimedCheck): boolean {
  return fingerprint === null;
}

/** Stops polling parcels without news for 30 days. */
export async function sweepExpired({
  db,
  producer,
  cadence,
  pages,
  logger,
  now,
}: PollerDeps): Promise<{ more: boolean }> {
  const expired = await findExpired(db, EXPIRE_SIZE, now());
  if (expired.length === 0) return { more: false };
  const pending = await expireTrackings(db, expired, cadence, now(), pages);
  await producer.deliver(pending);
  logger.info({ expired: expired.length, pending: pending.length }, 'parcels expired');
  return { more: expired.length === EXPIRE_SIZE };
}

/** Accounts that are looked through for attention in one round, and the parcels of one transaction. */
const ATTENTION_ACCOUNTS = 50;
const ATTENTION_SIZE = 200;
const CLEAR_SIZE = 5000;

/** Stores the events of parcels that have begun to need attention, for the accounts that have asked for them. */
export async function sweepAttention(deps: PollerDeps): Promise<{ more: boolean }> {
  const { db, now } = deps;
  await followAttention(db, now());
  const claim = { limit: ATTENTION_ACCOUNTS, everyMs: ATTENTION_EVERY_MS, now: now() };
  const watches = await claimWatches(db, claim);
  for (const watch of watches) await emitOf(deps, watch);
  return { more: watches.length === ATTENTION_ACCOUNTS };
}

async function emitOf({ db, producer, signals, pages, logger, now }: PollerDeps, watch: Watch): Promise<void> {
  while ((await clearMarks(db, watch, CLEAR_SIZE, now())) === CLEAR_SIZE);
  for (let more = true; more; ) {
    const found = await findAttention(db, watch, ATTENTION_SIZE, now());
    if (found.length === 0) return;
    const { marked, pending } = await emitAttention(db, watch, found, { now: now(), pages });
    await Promise.all([producer.deliver(pending), signals.publish('events', [watch.accountId])]);
    logger.debug({ marked, pending: pending.length }, 'parcels need attention');
    more = found.length === ATTENTION_SIZE && marked > 0;
  }
}

/** Notices that are sent in one transaction. */
const NOTICES_SIZE = 200;

/** Finds the notices to accounts that nobody stored with their cause, and stores the pushes of all new ones. */
export async function sweepNotices({ db, producer, logger, now }: PollerDeps): Promise<{ more: boolean }> {
  await findFailing(db, now());
  await findRecovered(db, now());
  await findExpiring(db, now());
  for (const out of await findOut(db, now())) await noteOut(db, out);
  const back = await findBack(db, now());
  const { sent, pending } = await sendNotices(db, { limit: NOTICES_SIZE, now: now() });
  await producer.deliver(pending);
  if (sent > 0) logger.debug({ sent, pending: pending.length }, 'notices sent');
  return { more: back.more || sent === NOTICES_SIZE };
}

/** Moves the checks of accounts that have enabled a webhook, page by page, into the monitored interval. */
async function sweepMonitored({ db, providers, cadence, now }: PollerDeps): Promise<{ more: boolean }> {
  const floors = Object.fromEntries(providers.map(({ name, limits }) => [name, limits.floorSeconds]));
  return { more: await moveToMonitored(db, { monitoredSeconds: cadence.monitoredSeconds, floors, now: now() }) };
}

/** Learns the transit times of lanes from delivered parcels. */
export async function sweepDelivered({ db, logger, now }: PollerDeps): Promise<{ more: boolean }> {
  const { parcels, more } = await learnLanes(db, samplesOf, now());
  if (parcels > 0) logger.debug({ parcels }, 'learned transit times');
  return { more };
}

/** The tables of the service and of its queue; the latter are in Redis on that store. */
const SCHEMAS = ['public', POSTGRES_SCHEMA];

/** Keeps the plans of statements right while tables grow faster than autovacuum looks at them, as in a first import. */
async function sweepGrown({ db, logger }: Pick<PollerDeps, 'db' | 'logger'>): Promise<{ more: false }> {
  const tables = await analyzeGrown(db, SCHEMAS);
  if (tables.length > 0) logger.debug({ tables }, 'analyzed tables that have grown');
  return { more: false };
}

/** The result of a round: whether there is more to do, and how many calls its checks take. */
export type Swept = { more: boolean; calls?: number };

/** Minimum calls in an interval that is divided: with fewer, many of them would have less than a full batch. */
const MANY_CALLS = 8;
const PARTS = 4;

/**
 * The rounds of a sweep. While there are many calls in each interval, they are claimed in quarters of it, and those of
 * a quarter are spread over it: the checks are less late, fewer run at once, and so news waits less for others.
 * @param sweep gets the milliseconds over which to spread its calls.
 * @param now a monotonic clock in milliseconds.
 */
export function createSweepRounds(
  intervalMs: number,
  sweep: (spreadMs: number) => Promise<Swept>,
  now = () => performance.now(),
): () => Promise<{ more: boolean; pauseMs?: number }> {
  const partMs = intervalMs / PARTS;
  let calls = 0;
  let isBusy = false;
  return async () => {
    const startedAt = now();
    const swept = await sweep(isBusy ? partMs : 0);
    calls += swept.calls ?? 0;
    if (swept.more) return { more: true };
    const tookMs = isBusy ? now() - startedAt : 0;
    isBusy = calls >= (isBusy ? MANY_CALLS / PARTS : MANY_CALLS);
    calls = 0;
    return { more: false, pauseMs: Math.max(0, (isBusy ? partMs : intervalMs) - tookMs) };
  };
}

/** Checks that leave their safety net in one statement. */
const LEAVE_SIZE = 5000;
/** Again after this: processes with the former settings may have run a while longer. */
const LEAVE_EVERY_MS = 3_600_000;

/** A sweep that has the checks of a provider follow the intervals of this process's settings. */
function createCadenceSweep({
  db,
  provider,
  cadence,
  now,
}: Pick<PollerDeps, 'db' | 'provider' | 'cadence' | 'now'>): () => Promise<{ more: boolean }> {
  const isSettled = provider.callbacks === undefined || cadence.safetyNetSeconds !== undefined;
  let leftAt = Number.NEGATIVE_INFINITY;
  return async () => {
    await followCadence(db, provider.name, cadence, now());
    if (isSettled || performance.now() - leftAt < LEAVE_EVERY_MS) return { more: false };
    const left = await leaveSafetyNet(db, { provider: provider.name, cadence, limit: LEAVE_SIZE, now: now() });
    if (left === LEAVE_SIZE) return { more: true };
    leftAt = performance.now();
    return { more: false };
  };
}

const LEARNED_EVERY_MS = 86_400_000;

/** A sweep that deletes old learned counts once a day. */
function createForgetting({ db, now }: Pick<PollerDeps, 'db' | 'now'>): () => Promise<{ more: false }> {
  let lastMs = 0;
  return async () => {
    if (now().getTime() - lastMs >= LEARNED_EVERY_MS) {
      await forgetLearned(db, now());
      lastMs = now().getTime();
    }
    return { more: false };
  };
}

type Part = Pick<PollerDeps, 'pace' | 'provider' | 'breaker'>;
type DueDeps = Pick<PollerDeps, 'db' | 'metrics' | 'memory' | 'now'> & {
  /** The work for each provider of this process. */
  parts: readonly Part[];
};

/** From this share of a provider's places on that are in calls, the provider decides how fast checks are made. */
const BUSY_SHARE = 0.5;

/**
 * Reports the checks that are due and not yet claimed, and for how long the oldest of each provider has been due
 * although neither a pause, a budget, its rate nor the time of its calls holds it back: the signal that work does not
 * flow.
 * @throws the error of the database; until it answers, nothing is known.
 */
export async function reportDue({ db, metrics, memory, now, parts }: DueDeps): Promise<{ more: false }> {
  const { due, oldestDueSeconds, heldBack, workOldestDueSeconds } = metrics;
  const forget = () => {
    for (const gauge of [due, oldestDueSeconds, heldBack, workOldestDueSeconds]) gauge.reset();
  };
  try {
    const at = now();
    const [backlogs, atRate] = [await readBacklogs(db, at), await providersAtRate(db)];
    forget();
    for (const { provider, pace, breaker } of parts) {
      const { name, limits } = provider;
      const isHeldBack = (memory.outages.get(breaker.key) ?? null) !== null || pace.isFar() || atRate.includes(name);
      due.set({ provider: name }, 0);
      heldBack.set({ provider: name }, isHeldBack ? 1 : 0);
      const isBusy = pace.calls.look() >= BUSY_SHARE * limits.concurrency;
      const oldest = backlogs.find((backlog) => backlog.provider === name);
      workOldestDueSeconds.set(
        { work: name },
        oldest && !isHeldBack && !isBusy ? secondsSince(oldest.oldestAt, at) : 0,
      );
    }
    for (const { provider, due: count, oldestAt } of backlogs) {
      due.set({ provider }, count);
      oldestDueSeconds.set({ provider }, secondsSince(oldestAt, at));
    }
  } catch (error) {
    forget();
    throw error;
  }
  return { more: false };
}

function secondsSince(then: Date, at: Date): number {
  return Math.max(0, at.getTime() - then.getTime()) / 1000;
}

/** After this long without any news, the next provider of the route is queried. */
const UNKNOWN_HOURS = 24;
const UNKNOWN_EVERY_MS = 3_600_000;
/**
 * Checks of a provider that this process does not know are someone else's, unless nobody has claimed them for this
 * long.
 */
const OFF_SECONDS = 600;
/** Checks moved in one statement. */
const MOVE_SIZE = 500;

type Why = 'out' | 'off' | 'unknown';

/**
 * Moves checks to a provider that can answer: checks of a provider that is paused for long or no longer configured, and
 * those of parcels that it has not known for long, move to the next one of their carrier's route. A history has one
 * owner at a time: they return only when that one fails, too.
 * @param providers those of live accounts.
 */
export function createRouteSweep(deps: PollerDeps, providers: readonly Provider[]): () => Promise<{ more: boolean }> {
  const routes = carriers({ sandbox: true }).map(({ code }) => ({ carrier: code, route: routeFor(code, providers) }));
  const rotating = routes.filter(({ route }) => route.length > 1).map(toRoute);
  let unknownSweptAt = Number.NEGATIVE_INFINITY;

  async function moveFrom(provider: string, why: Why, out: ReadonlySet<string>): Promise<boolean> {
    const to = routes.flatMap(({ carrier, route }) => destination(carrier, route, provider, out));
    if (to.length === 0) return false;
    const overdueSeconds = why === 'off' ? OFF_SECONDS : 0;
    const moved = await moveDueChecks(deps.db, { provider, to, overdueSeconds, limit: MOVE_SIZE, now: deps.now() });
    report(deps, provider, why, moved);
    return moved.length === MOVE_SIZE;
  }

  /** Numbers whose carrier is known go to the next provider of its route, the others on to their next candidate. */
  async function moveFromOff(provider: string, out: ReadonlySet<string>): Promise<boolean> {
    const more = await moveFrom(provider, 'off', out);
    const dueBy = new Date(deps.now().getTime() - OFF_SECONDS * 1000);
    return (await leaveProvider(deps, provider, dueBy)) || more;
  }

  async function moveUnknown(): Promise<boolean> {
    if (rotating.length === 0 || performance.now() - unknownSweptAt < UNKNOWN_EVERY_MS) return false;
    const rounds = [];
    for (const { name } of providers) {
      const [limits, times] = [{ limit: MOVE_SIZE, now: deps.now() }, { afterHours: UNKNOWN_HOURS }];
      const input = { provider: name, routes: rotating, newsDays: EXPIRES_AFTER_DAYS, ...limits, ...times };
      const moved = await moveUnknownChecks(deps.db, input);
      report(deps, name, 'unknown', moved);
      rounds.push(moved.length);
    }
    const more = rounds.includes(MOVE_SIZE);
    if (!more) unknownSweptAt = performance.now();
    return more;
  }

  return async () => {
    const out = await providersOut(deps);
    const on = new Set(providers.map(({ name }) => name));
    const off = (await readBacklogs(deps.db, deps.now()))
      .map(({ provider }) => provider)
      // Test parcels wait: nobody else may be asked about them.
      .filter((name) => !on.has(name) && name !== TEST_PROVIDER);
    const rounds = [
      ...(await inTurn(
        [...out].filter((name) => on.has(name)),
        (name) => moveFrom(name, 'out', out),
      )),
      ...(await inTurn(off, (name) => moveFromOff(name, out))),
      await moveUnknown(),
    ];
    return { more: rounds.includes(true) };
  };
}

async function inTurn(names: readonly string[], work: (name: string) => Promise<boolean>): Promise<boolean[]> {
  const results = [];
  for (const name of names) results.push(await work(name));
  return results;
}

/** The providers that are paused for long. */
async function providersOut({ db, now }: PollerDeps): Promise<ReadonlySet<string>> {
  const min = now().getTime() + OUT_SECONDS * 1000;
  const pauses = await listPauses(db);
  return new Set(
    pauses.filter(({ pausedUntil }) => (pausedUntil?.getTime() ?? 0) >= min).map(({ provider }) => provider),
  );
}

/** Where the checks of a carrier go from a provider: the first of the route that is not paused itself. */
function destination(
  carrier: string,
  route: readonly Provider[],
  from: string,
  out: ReadonlySet<string>,
): Destination[] {
  const next = route.find(({ name }) => name !== from && !out.has(name));
  return next === undefined ? [] : [{ carrier, provider: next.name, floorSeconds: next.limits.floorSeconds }];
}

function toRoute({ carrier, route }: { carrier: string; route: readonly Provider[] }): Route {
  return { carrier, route: route.map(({ name, limits }) => ({ provider: name, floorSeconds: limits.floorSeconds })) };
}

function report({ logger, metrics }: PollerDeps, from: string, why: Why, moved: readonly MovedCheck[]): void {
  if (moved.length === 0) return;
  for (const { provider } of moved) metrics.moved.inc({ from, to: provider, why });
  logger.info(
    { from, to: [...new Set(moved.map(({ provider }) => provider))], why, checks: moved.length },
    'checks moved',
  );
}
