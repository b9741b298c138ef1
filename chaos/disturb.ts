import { setTimeout as delay } from 'node:timers/promises';
import type { Fault } from './faults/fault.ts';
import type { Step } from './plan.ts';
import { seeded } from './random.ts';
import type { Figures } from './timeline.ts';
import { CARRIERS } from './world/carriers.ts';
import type { World } from './world/world.ts';

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

type Course = {
  plan: readonly Step[];
  faults: readonly Fault[];
  startedAt: number;
  overlap: boolean;
  /** How long to wait for the recovery from a fault; 0: not at all. */
  recoverySeconds: number;
};

/** Runs the plan: one fault after the other, or, if they may overlap, those of each part. */
export async function disturb(
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

/** Waits until every process has been ready, and the API, each carrier and each endpoint served again. @returns seconds. */
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

export async function until(at: number): Promise<void> {
  const ms = at - performance.now();
  if (ms > 0) await delay(ms);
}
