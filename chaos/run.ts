import { setTimeout as delay } from 'node:timers/promises';
import type { Store } from '@pts/queue/connection';
import { faultsOf } from './faults/all.ts';
import type { Fault } from './faults/fault.ts';
import { balance } from './ledger/balance.ts';
import { collect } from './ledger/collect.ts';
import { countDuplicates } from './ledger/events.ts';
import type { Discrepancy, Facts, Registration } from './ledger/facts.ts';
import { settle } from './ledger/settle.ts';
import { startLoad } from './load/merchants.ts';
import { makePlan, type Step } from './plan.ts';
import { seeded } from './random.ts';
import type { Figures } from './timeline.ts';
import { CARRIERS } from './world/carriers.ts';
import { startWorld, type World } from './world/world.ts';

export type ChaosOptions = {
  store: Store;
  seed: number;
  minutes: number;
  /** Names of faults; all by default. */
  faults?: readonly string[] | undefined;
  overlap?: boolean;
  /** The negative control: without the sweeps, the run must not balance. */
  withoutSweeps?: boolean;
  /** Registrations a second. */
  rate?: number;
  /** How long nothing may change at the end before unfinished work counts as lost. */
  patienceSeconds?: number;
  /** How long the recovery from a fault may take. */
  recoverySeconds?: number;
};

/** The effect of one fault. */
export type FaultFigures = Figures & {
  name: string;
  about: string;
  part: Fault['part'];
  /** When it began and how long it lasted, in seconds of the run. */
  at: number;
  seconds: number;
  /** From its end until the API, each carrier and each endpoint were served again; null: not within the deadline. */
  recoverySeconds: number | null;
};

export type ChaosResult = {
  store: Store;
  seed: number;
  minutes: number;
  faults: FaultFigures[];
  overall: Figures;
  totals: Record<
    'registrations' | 'accepted' | 'unknown' | 'parcels' | 'polls' | 'events' | 'pushes' | 'duplicates' | 'crashes',
    number
  >;
  discrepancies: Discrepancy[];
};

const DEFAULTS = { overlap: false, withoutSweeps: false, rate: 1, patienceSeconds: 120, recoverySeconds: 120 };

/** Runs one plan on one store and balances it. @param log gets a line of progress. */
export async function runChaos(
  options: ChaosOptions,
  log: (line: string) => void,
  onFault: (figures: FaultFigures) => void,
): Promise<ChaosResult> {
  const { store, seed, minutes, overlap, withoutSweeps, rate, ...more } = { ...DEFAULTS, ...options };
  const { patienceSeconds, recoverySeconds } = more;
  const faults = faultsOf(store, options.faults);
  const plan = makePlan(faults, { seed, minutes, overlap });
  if (plan.length === 0) throw new Error(`no fault fits into ${minutes} minutes; take more`);
  log(`${store}: seed ${seed}, ${minutes} min, ${plan.length} faults${withoutSweeps ? ', without sweeps' : ''}`);
  for (const { name, at, seconds } of plan) log(`  plan +${at} s ${name}, ${seconds} s`);
  const world = await startWorld({ store, hasSweeps: !withoutSweeps, log });
  try {
    log(`${store}: started; the processes log to ${world.logDir}`);
    const load = startLoad(world.call, world.merchants, { seed, rate });
    const startedAt = performance.now();
    const figures = await disturb(
      world,
      { plan, faults, startedAt, overlap, recoverySeconds: withoutSweeps ? 0 : recoverySeconds },
      onFault,
    );
    await until(startedAt + minutes * 60_000);
    const overall = world.timeline.figures(startedAt, performance.now());
    await load.stop();
    const left = await settle(world, patienceSeconds);
    if (left.parcels + left.deliveries > 0)
      log(`${store}: unfinished: ${left.parcels} parcels, ${left.deliveries} deliveries`);
    const facts = await collect(world, load.registrations);
    const totals = totalsOf(world, load.registrations, facts);
    return {
      store,
      seed,
      minutes,
      faults: figures,
      overall,
      totals,
      discrepancies: [...balance(facts), ...unrecovered(figures)],
    };
  } finally {
    await world.close();
  }
}

function totalsOf(world: World, registrations: readonly Registration[], facts: Facts): ChaosResult['totals'] {
  const count = (outcome: string) => registrations.filter((each) => each.outcome === outcome).length;
  return {
    registrations: registrations.length,
    accepted: count('accepted'),
    unknown: count('unknown'),
    parcels: facts.stored.length,
    polls: world.carriers.asked(),
    events: facts.messages.length,
    pushes: facts.pushes.length,
    duplicates: countDuplicates(facts.pushes),
    crashes: world.replicas.reduce((sum, replica) => sum + replica.crashes(), 0),
  };
}

function unrecovered(figures: readonly FaultFigures[]): Discrepancy[] {
  return figures
    .filter(({ recoverySeconds }) => recoverySeconds === null)
    .map(({ name, about }) => ({
      promise: 'everything is served again in time',
      about: `${name} ${about}`,
    }));
}

type Course = {
  plan: readonly Step[];
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
  step: Step,
  { startedAt, recoverySeconds: most }: Course,
): Promise<FaultFigures> {
  const from = performance.now();
  const { about = '', heal } = await fault.begin(world, seeded(step.seed));
  try {
    await until(from + step.seconds * 1000);
  } finally {
    await heal?.();
  }
  const healedAt = performance.now();
  const recoverySeconds = most === 0 ? 0 : await recovery(world, healedAt, most);
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

/** Waits until every process has been ready, and the API, each carrier and each endpoint served again. @returns seconds. */
async function recovery(world: World, healedAt: number, mostSeconds: number): Promise<number | null> {
  const { timeline, replicas, endpoints } = world;
  const paths = endpoints.map(({ path }) => path);
  let waitedFor = [...replicas];
  for (const deadline = healedAt + mostSeconds * 1000; performance.now() < deadline; await delay(100)) {
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
