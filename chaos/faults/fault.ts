import type { Store } from '@pts/queue/connection';
import type { Random } from '../random.ts';
import type { World } from '../world/world.ts';

/** A fault that has begun. */
export type Begun = {
  /** The target, if there was a choice. */
  about: string;
  /** Ends it. Also called when the run is interrupted. */
  heal(): Promise<void>;
};

export type Fault = {
  name: string;
  /** Faults of one part never overlap. */
  part: 'processes' | 'clocks' | 'redis' | 'postgres' | 'carriers' | 'receivers';
  seconds: readonly [least: number, most: number];
  /** The stores to which it applies. */
  stores: readonly Store[];
  begin(world: World, random: Random): Promise<Begun>;
};

export const BOTH = ['redis', 'postgres'] as const;
export const LONG = [10, 18] as const;
/** For an instantaneous fault: the time during which its consequences are observed. */
export const MOMENT = [4, 6] as const;
export const nothing = async () => {};
