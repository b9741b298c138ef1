/** The facts about a fault that the plan needs. */
type Plannable = {
  name: string;
  /** The part of the installation that it disturbs: faults of one part never overlap. */
  part: string;
  /** How long it lasts, in seconds: at least, at most. */
  seconds: readonly [min: number, max: number];
};
export type PlannedFault = {
  name: string;
  /** Seconds from the beginning of the run. */
  at: number;
  seconds: number;
  /** Decides everything else about it, such as which replica it hits. */
  seed: number;
};
type PlanOptions = {
  seed: number;
  minutes: number;
  /** Whether faults of different parts may overlap. */
  overlap: boolean;
};

const WARM_UP_SECONDS = 10;
const QUIET_SECONDS = [6, 12] as const;
/** Seconds between the starts of two faults that may overlap. */
const APART_SECONDS = [3, 10] as const;

/**
 * The faults of a run, in order. Each occurs once before any occurs twice. A step may begin later than planned if the
 * recovery from the previous fault takes long.
 */
export function makePlan(faults: readonly Plannable[], { seed, minutes, overlap }: PlanOptions): PlannedFault[] {
  const random = seeded(seed);
  const next = bagOf(faults, random);
  const busyUntil = new Map<string, number>();
  const steps: PlannedFault[] = [];
  for (let at = WARM_UP_SECONDS; ; ) {
    const fault = next();
    const seconds = random.between(...fault.seconds);
    const quiet = random.between(...QUIET_SECONDS);
    const start = Math.max(at, busyUntil.get(fault.part) ?? 0);
    if (start + seconds > minutes * 60) return steps;
    steps.push({ name: fault.name, at: start, seconds, seed: random.between(1, 2 ** 31) });
    busyUntil.set(fault.part, start + seconds + quiet);
    at = start + (overlap ? random.between(...APART_SECONDS) : seconds + quiet);
  }
}

function bagOf(faults: readonly Plannable[], random: Random): () => Plannable {
  let bag: Plannable[] = [];
  return () => {
    if (bag.length === 0) bag = random.shuffle(faults);
    const fault = bag.pop();
    if (!fault) throw new Error('the plan needs a fault');
    return fault;
  };
}

/** Random values that depend on a seed. */
export type Random = {
  /** From 0, below 1. */
  next(): number;
  /** A whole number, both ends included. */
  between(min: number, max: number): number;
  pick<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
};

/** Random values from a seed, which gives the same ones on every machine (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    between,
    pick: (items) => {
      if (items.length === 0) throw new Error('there is nothing to pick from');
      return items[between(0, items.length - 1)] as (typeof items)[number];
    },
    shuffle: (items) => {
      const rest = [...items];
      return items.map(() => rest.splice(between(0, rest.length - 1), 1)[0] as (typeof items)[number]);
    },
  };
}
