import { type Random, seeded } from './random.ts';

/** What the plan needs to know about a fault. */
export type Plannable = {
  name: string;
  /** The part of the installation that it disturbs: faults of one part never overlap. */
  part: string;
  /** How long it lasts, in seconds: at least, at most. */
  seconds: readonly [min: number, max: number];
};
export type Step = {
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
 * The faults of a run, in order. Each occurs once before any occurs twice. A step may begin later than planned if the recovery
 * from the previous fault takes long.
 */
export function makePlan(faults: readonly Plannable[], { seed, minutes, overlap }: PlanOptions): Step[] {
  const random = seeded(seed);
  const next = bagOf(faults, random);
  const busyUntil = new Map<string, number>();
  const steps: Step[] = [];
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
