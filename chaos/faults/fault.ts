import type { Random } from '../random.ts';
import { WORLD_STORES, type WorldStore } from '../world/installation.ts';
import type { World } from '../world/world.ts';

/** A fault that has begun. */
export type Begun = {
  /** What it hit, where there was a choice. */
  about?: string;
  /** Ends it, unless it was over at once. Also called when the run is interrupted. */
  heal?(): Promise<unknown>;
};

export type Fault = {
  name: string;
  /** Faults of one part never overlap. */
  part: 'processes' | 'clocks' | 'redis' | 'postgres' | 'carriers' | 'receivers';
  seconds: readonly [min: number, max: number];
  /** The stores to which it applies. */
  stores: readonly WorldStore[];
  begin(world: World, random: Random): Promise<Begun>;
};

export const LONG = [10, 18] as const;
/** For an instantaneous fault: the time during which its consequences are observed. */
export const MOMENT = [4, 6] as const;

/** Declares faults of one part. @param targetIn what they disturb in a world. */
export function faultsOn<T>(
  part: Fault['part'],
  targetIn: (world: World) => T,
  stores: readonly WorldStore[] = WORLD_STORES,
) {
  return (
    name: string,
    seconds: Fault['seconds'],
    begin: (target: T, random: Random) => Begun | Promise<Begun>,
  ): Fault => ({ name, part, seconds, stores, begin: async (world, random) => begin(targetIn(world), random) });
}
