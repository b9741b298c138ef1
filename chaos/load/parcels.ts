import type { Random } from '../plan.ts';
import type { Carrier } from '../world/carriers.ts';

export type Parcel = { tracking_number: string; courier_code?: string };

/** Stories of the sandbox that end the same, however often they are queried. */
const STORIES = [
  'ORDINARY',
  'EXPRESS',
  'RECOVERED',
  'RETURNED',
  'PICKUP',
  'LATESCAN',
  'CORRECTED',
  'REPEATED',
  'EXCEPTION',
] as const;
const ENDS: Readonly<Record<string, string>> = { RETURNED: 'returned', EXCEPTION: 'exception' };
/** A carrier whose parcels are checked at Kuaidi100. */
export const KUAIDI100_COURIER = 'yto';

/** Unregistered parcels of both carriers. */
export function createParcels(random: Random): () => Parcel {
  let count = 0;
  return () => {
    count += 1;
    const number = `SBX${random.pick(STORIES)}${100_000 + count}`;
    return count % 2 === 0 ? { tracking_number: number } : { tracking_number: number, courier_code: KUAIDI100_COURIER };
  };
}

/** The state in which the story of a number ends. */
export function endOf(number: string): string {
  return ENDS[/^SBX([A-Z]+)/.exec(number)?.[1] ?? ''] ?? 'delivered';
}

export function carrierOf(courier: string): Carrier {
  return courier === KUAIDI100_COURIER ? 'kuaidi100' : 'sandbox';
}
