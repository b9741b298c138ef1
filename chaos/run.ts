import { setTimeout as delay } from 'node:timers/promises';
import { untilFeedIsComplete } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { OptionFault } from '../bench/options.ts';
import { type Fault, faultsOf } from './faults.ts';
import { balance, checkFeed, countDuplicates } from './ledger/balance.ts';
import { collect, settle } from './ledger/collect.ts';
import type { Discrepancy, Facts, FeedReader, Registration } from './ledger/facts.ts';
import { readByNumbers, readOverApi, startFeedReaders, startFeedStreams } from './load/feed-readers.ts';
import { startLoad } from './load/merchants.ts';
import { makePlan, type PlannedFault, seeded } from './plan.ts';
import type { Figures } from './timeline.ts';
import { CARRIERS } from './world/carriers.ts';
import type { Replica } from './world/replica.ts';
import { type Guard, startWorld, type World, type WorldStore } from './world/world.ts';

export type ChaosOptions = {
  store: WorldStore;
  seed: number;
  minutes: number;
  /** Names of faults; all by default. */
  faults?: readonly string[] | undefined;
  overlap?: boolean;
  /** A negative control: without it, the run must not balance. */
  without?: Guard | undefined;
  /** Registrations a second. */
  rate?: number;
  /** How long nothing may change at the end before unfinished work counts as lost. */
  patienceSeconds?: number;
  /** How long the recovery from a fault may take. */
  recoverySeconds?: number;
};

export type ChaosResult = {
  store: WorldStore;
  seed: number;
  minutes: number;
  faults: FaultFigures[];
  overall: Figures;
  totals: Record<
    | 'registrations'
    | 'accepted'
    | 'unknown'
    | 'parcels'
    | 'polls'
    | 'events'
    | 'pushes'
    | 'duplicates'
    | 'crashes'
    // Of failovers: what they lost, how often a reader of the feed had to resume elsewhere, and how many events a
    // reader skips whose cursor is the numbers of a transaction alone.
    | 'lostParcels'
    | 'lostEvents'
    // Parcels and events that only primaries had which were killed while commits waited for a synchronous standby.
    | 'unconfirmed'
    | 'resumedReaders'
    | 'skippedByNumbers',
    number
  >;
  /** The numbers whose registration was accepted and then lost by a failover, and that nobody registered again. */
  lost: string[];
  discrepancies: Discrepancy[];
};

const DEFAULTS = {
  overlap: false,
  rate: 1,
  patienceSeconds: 120,
  recoverySeconds: 120,
};

/** Runs one plan on one store and balances it. @param log gets a line of progress. */
export async function runChaos(
  options: ChaosOptions,
  log: (line: string) => void,
  onFault: (figures: FaultFigures) => void,
): Promise<ChaosResult> {
  const { store, seed, minutes, overlap, without, rate, ...more } = { ...DEFAULTS, ...options };
  const { patienceSeconds, recoverySeconds } = more;
  const faults = faultsOf(store, options.faults);
  const plan = makePlan(faults, { seed, minutes, overlap });
  if (plan.length === 0) throw new OptionFault(`no fault fits into ${minutes} minutes; take more`);
  log(`${store}: seed ${seed}, ${minutes} min, ${plan.length} faults${without ? `, without ${without}` : ''}`);
  for (const { name, at, seconds } of plan) log(`  plan +${at} s ${name}, ${seconds} s`);
  const world = await startWorld({ store, without, log });
  try {
    log(`${store}: started; the processes log to ${world.logDir}`);
    const load = startLoad(world.call, world.merchants, { seed, rate });
    const feed = startFeedReaders(readOverApi(world.call), world.merchants);
    const streams = startFeedStreams(
      world.replicas.filter(({ app }) => app === 'api'),
      world.merchants,
    );
    // A negative control, which only a failover shows anything to.
    const byNumbers = startFeedReaders(
      readByNumbers(() => world.postgres.directUrl),
      plan.some(({ name }) => name === 'postgres-failover') ? world.merchants : [],
    );
    world.readers.push(...feed.readers, ...byNumbers.readers);
    const startedAt = performance.now();
    const figures = await disturb(
      world,
      { plan, faults, startedAt, overlap, recoverySeconds: without === 'sweeps' ? 0 : recoverySeconds },
      onFault,
    );
    const calmSince = performance.now();
    await until(startedAt + minutes * 60_000);
    const overall = world.timeline.figures(startedAt, performance.now());
    await load.stop();
    const left = await settle(world, patienceSeconds);
    if (left.parcels + left.deliveries > 0)
      log(`${store}: unfinished: ${left.parcels} parcels, ${left.deliveries} deliveries`);
    await untilFeedIsComplete(world.postgres.directUrl);
    await Promise.all([feed.finish(), byNumbers.finish()]);
    const facts = await collect(world, load.registrations, [...feed.readers, ...streams.readers]);
    await streams.finish(() => checkFeed(facts).length === 0);
    const unproven = await checkQueues(world.replicas, calmSince);
    const totals = totalsOf(world, load.registrations, facts, { overApi: feed.readers, byNumbers: byNumbers.readers });
    return {
      store,
      seed,
      minutes,
      faults: figures,
      overall,
      totals,
      lost: lostOf(facts),
      discrepancies: [...balance(facts), ...unproven, ...unrecovered(figures)],
    };
  } finally {
    await world.close();
  }
}

function totalsOf(
  world: World,
  registrations: readonly Registration[],
  facts: Facts,
  readers: Record<'overApi' | 'byNumbers', readonly FeedReader[]>,
): ChaosResult['totals'] {
  const count = (outcome: string) => registrations.filter((each) => each.outcome === outcome).length;
  return {
    registrations: registrations.length,
    accepted: count('accepted'),
    unknown: count('unknown'),
    parcels: facts.stored.length,
    polls: world.carriers.requested(),
    events: facts.messages.length,
    pushes: facts.pushes.length,
    duplicates: countDuplicates(facts.pushes),
    crashes: world.replicas.reduce((sum, replica) => sum + replica.crashes(), 0),
    lostParcels: facts.lost.parcels.size,
    lostEvents: facts.lost.messages.size,
    unconfirmed: world.postgres.unconfirmed.parcels.size + world.postgres.unconfirmed.messages.size,
    resumedReaders: readers.overApi.reduce((sum, { resumed }) => sum + resumed, 0),
    skippedByNumbers: checkFeed({ ...facts, feeds: readers.byNumbers }).length,
  };
}

function lostOf({ lost, stored }: Facts): string[] {
  const numbers = new Set(stored.map(({ number }) => number));
  return [...new Set([...lost.parcels.values()].map(({ number }) => number))].filter((number) => !numbers.has(number));
}

function unrecovered(figures: readonly FaultFigures[]): Discrepancy[] {
  return figures
    .filter(({ recoverySeconds }) => recoverySeconds === null)
    .map(({ name, about }) => ({
      promise: 'everything is served again in time',
      about: `${name} ${about}`,
    }));
}

const MAX_LISTED = 50;
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const seconds = (value: number) => `${value.toFixed(1)} s`;

/** One line of progress. */
export function faultLine(figures: FaultFigures): string {
  const { at, name, about, availability, failures, longestPollPause, longestPushPause, recoverySeconds } = figures;
  return [
    `+${String(at).padStart(4)} s ${name}${about ? ` (${about})` : ''}: ${seconds(figures.seconds)}`,
    `API ${percent(availability)}${reasons(failures)}`,
    `longest pause of polls ${seconds(longestPollPause)}, of pushes ${seconds(longestPushPause)}`,
    recoverySeconds === null ? 'NOT RECOVERED' : `recovered after ${seconds(recoverySeconds)}`,
  ].join(', ');
}

function reasons(failures: Readonly<Record<string, number>>): string {
  const all = Object.entries(failures).map(([reason, count]) => `${count} x ${reason}`);
  return all.length === 0 ? '' : ` (${all.join(', ')})`;
}

/** A row per fault: how often it occurred, and the worst value of each figure. */
function table(faults: readonly FaultFigures[]): string {
  const names = [...new Set(faults.map(({ name }) => name))].sort();
  const rows = names.map((name) => {
    const all = faults.filter((fault) => fault.name === name);
    const worst = (of: (fault: FaultFigures) => number) => Math.max(...all.map(of)).toFixed(1);
    return [
      name,
      all.length,
      percent(Math.min(...all.map(({ availability }) => availability))),
      worst(({ longestPollPause }) => longestPollPause),
      worst(({ longestPushPause }) => longestPushPause),
      worst(({ recoverySeconds }) => recoverySeconds ?? Number.POSITIVE_INFINITY),
    ];
  });
  const head = ['Fault', 'Times', 'API, least', 'Pause of polls, s', 'Pause of pushes, s', 'Recovery, s'];
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** The longest pause of pushes, except in faults of PostgreSQL, without which nothing can be pushed. */
function worstPushPause(faults: readonly FaultFigures[]): FaultFigures | undefined {
  return faults
    .filter(({ part }) => part !== 'postgres')
    .toSorted((a, b) => b.longestPushPause - a.longestPushPause)[0];
}

export function summary({ store, seed, faults, overall, totals, lost, discrepancies }: ChaosResult): string {
  const worst = worstPushPause(faults);
  const listed = discrepancies.slice(0, MAX_LISTED).map(({ promise, about }) => `  ${promise}: ${about}`);
  const more = discrepancies.length - listed.length;
  return [
    table(faults),
    `${store}, seed ${seed}: ${Object.entries(totals)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ')}`,
    `API ${percent(overall.availability)} of ${overall.requests} requests${reasons(overall.failures)}`,
    ...(worst
      ? [`longest pause of pushes except in PostgreSQL's faults: ${seconds(worst.longestPushPause)} (${worst.name})`]
      : []),
    ...(lost.length > 0 ? [`accepted, and lost by a failover: ${lost.join(', ')}`] : []),
    discrepancies.length === 0 ? 'the ledger balances' : `the ledger does NOT balance, ${discrepancies.length} times:`,
    ...listed,
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join('\n');
}

/** The effect of one fault. */
type FaultFigures = Figures & {
  name: string;
  about: string;
  part: Fault['part'];
  /** When it began and how long it lasted, in seconds of the run. */
  at: number;
  seconds: number;
  /** From its end until the API, each carrier and each endpoint were served again; null: not within the deadline. */
  recoverySeconds: number | null;
};

type Course = {
  plan: readonly PlannedFault[];
  faults: readonly Fault[];
  startedAt: number;
  overlap: boolean;
  /** How long to wait for the recovery from a fault; 0: not at all. */
  recoverySeconds: number;
};

/** Runs the plan: one fault after the other, or, if they may overlap, those of each part. */
async function disturb(
  world: World,
  course: Course,
  onFault: (figures: FaultFigures) => void,
): Promise<FaultFigures[]> {
  const results: FaultFigures[] = [];
  const running = new Map<string, Promise<void>>();
  for (const step of course.plan) {
    const fault = course.faults.find(({ name }) => name === step.name);
    if (!fault) continue;
    await until(course.startedAt + step.at * 1000);
    const slot = course.overlap ? fault.part : 'any';
    await running.get(slot);
    const one = suffer(world, fault, step, course).then((figures) => {
      results.push(figures);
      onFault(figures);
    });
    one.catch(() => {}); // awaited below
    running.set(slot, one);
  }
  await Promise.all(running.values());
  return results;
}

async function suffer(
  world: World,
  fault: Fault,
  step: PlannedFault,
  { startedAt, recoverySeconds: max }: Course,
): Promise<FaultFigures> {
  const from = performance.now();
  const { about = '', heal } = await fault.begin(world, seeded(step.seed));
  try {
    await until(from + step.seconds * 1000);
  } finally {
    await heal?.();
  }
  const healedAt = performance.now();
  const recoverySeconds = max === 0 ? 0 : await recovery(world, healedAt, max);
  const window = world.timeline.figures(from, performance.now());
  const at = Math.round((from - startedAt) / 1000);
  return {
    name: fault.name,
    about,
    part: fault.part,
    at,
    seconds: (healedAt - from) / 1000,
    recoverySeconds,
    ...window,
  };
}

/**
 * Waits until every process has been ready, and the API, each carrier and each endpoint served again.
 * @returns seconds.
 */
async function recovery(world: World, healedAt: number, maxSeconds: number): Promise<number | null> {
  const { timeline, replicas, endpoints } = world;
  const paths = endpoints.map(({ path }) => path);
  let waitedFor = [...replicas];
  for (const deadline = healedAt + maxSeconds * 1000; performance.now() < deadline; await delay(100)) {
    const ready = await Promise.all(waitedFor.map((replica) => replica.isReady()));
    waitedFor = waitedFor.filter((_, n) => !ready[n]);
    if (waitedFor.length === 0 && timeline.hasAll(healedAt, CARRIERS, paths))
      return (performance.now() - healedAt) / 1000;
  }
  return null;
}

async function until(at: number): Promise<void> {
  const ms = at - performance.now();
  if (ms > 0) await delay(ms);
}

const DEADLINE_MS = 90_000;
/** A process looks at its queues this often. */
const LOOK_EVERY_MS = 15_000;
/** A wake-up is received within milliseconds. */
const LATE_SECONDS = 5;

/**
 * After all faults, wake-ups are received from each queue again: the sweeps alone would do all work, too, and hide
 * that.
 * @param since when the last fault was over.
 */
async function checkQueues(replicas: readonly Replica[], since: number): Promise<Discrepancy[]> {
  await until(since + 2 * LOOK_EVERY_MS);
  const workers = replicas.filter(({ app }) => app !== 'api');
  const unproven = await Promise.all(workers.map(unprovenQueues));
  return unproven.flat().map((about) => ({ promise: 'wake-ups are received from each queue', about }));
}

/** @returns those that are not proven at the deadline either. */
async function unprovenQueues({ name, managementUrl }: Replica): Promise<string[]> {
  let unproven: string[] = [];
  const look = async () => {
    unproven = [`${name} does not answer`];
    const response = await fetch(`${managementUrl}/metrics`, { signal: AbortSignal.timeout(5000) });
    const text = await response.text();
    unproven = [
      ...queuesIn(text, 'pts_queue_unreachable', (value) => value > 0),
      ...queuesIn(text, 'pts_queue_oldest_seconds', (value) => value >= LATE_SECONDS),
    ].map((queue) => `${name}: ${queue}`);
    if (unproven.length > 0) throw new Error(unproven.join(', '));
  };
  await eventually(look, { deadlineMs: DEADLINE_MS }).catch(() => {});
  return unproven;
}

/** The queues whose value of a metric is as described. */
function queuesIn(metrics: string, name: string, matches: (value: number) => boolean): string[] {
  const values = metrics.matchAll(new RegExp(`^${name}\\{.*queue="([^"]+)".*\\} (\\S+)$`, 'gm'));
  return Array.from(values).flatMap(([, queue = '', value]) => (matches(Number(value)) ? [queue] : []));
}
