import { untilFeedIsComplete } from '@pts/testing/database';
import { OptionFault } from '../bench/options.ts';
import { disturb, type FaultFigures, until } from './disturb.ts';
import { faultsOf } from './faults/all.ts';
import { balance } from './ledger/balance.ts';
import { collect } from './ledger/collect.ts';
import { countDuplicates } from './ledger/events.ts';
import type { Discrepancy, Facts, FeedReader, Registration } from './ledger/facts.ts';
import { checkFeed } from './ledger/feed.ts';
import { checkQueues } from './ledger/queues.ts';
import { settle } from './ledger/settle.ts';
import { readByNumbers, readOverApi, startFeedReaders } from './load/feed-readers.ts';
import { startFeedStreams } from './load/feed-streams.ts';
import { startLoad } from './load/merchants.ts';
import { makePlan } from './plan.ts';
import type { Figures } from './timeline.ts';
import type { Guard, WorldStore } from './world/installation.ts';
import { startWorld, type World } from './world/world.ts';

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
    // Of failovers: what they lost, how often a reader of the feed had to resume elsewhere, and how many events a reader skips whose
    // cursor is the numbers of a transaction alone.
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
