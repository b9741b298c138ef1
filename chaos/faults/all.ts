import { OptionFault } from '../../bench/options.ts';
import type { WorldStore } from '../world/installation.ts';
import type { Fault } from './fault.ts';
import { CARRIER_FAULTS, RECEIVER_FAULTS } from './outside.ts';
import { PROCESS_FAULTS } from './processes.ts';
import { POSTGRES_FAULTS, REDIS_FAILOVERS, REDIS_FAULTS } from './servers.ts';

const FAULTS: readonly Fault[] = [
  ...PROCESS_FAULTS,
  ...REDIS_FAULTS,
  ...REDIS_FAILOVERS,
  ...POSTGRES_FAULTS,
  ...CARRIER_FAULTS,
  ...RECEIVER_FAULTS,
];

/** The faults of a store. @throws OptionFault if a name is unknown, or no faults are left. */
export function faultsOf(store: WorldStore, names: readonly string[] | undefined): Fault[] {
  const unknown = names?.find((name) => !FAULTS.some((fault) => fault.name === name));
  if (unknown !== undefined)
    throw new OptionFault(`there is no fault ${unknown}: ${FAULTS.map(({ name }) => name).join(', ')}`);
  const chosen = FAULTS.filter(({ name, stores }) => stores.includes(store) && (names?.includes(name) ?? true));
  if (chosen.length === 0) throw new OptionFault(`none of the faults ${names?.join(', ')} concerns the store ${store}`);
  return chosen;
}
