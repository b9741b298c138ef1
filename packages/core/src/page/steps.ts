import type { Scan } from '../tracking/scan.ts';
import type { SubStatus } from '../tracking/status.ts';
import { type Trouble, troubleOf } from './trouble.ts';

export type Step =
  | 'announced'
  | 'in_transit'
  | 'out_for_delivery'
  | 'available_for_pickup'
  | 'delivered'
  | 'returning'
  | 'returned';

export type StepState = 'done' | 'current' | 'todo';

/** The four steps of a parcel, each with whether it is done. */
export function stepsOf(subStatus: SubStatus, scans: readonly Scan[]): { step: Step; state: StepState }[] {
  const trouble = troubleOf(subStatus, scans);
  const steps = stepsWith(trouble, scans);
  const reached = reachedIn(subStatus, trouble, scans);
  const isOver = subStatus === 'delivered' || subStatus === 'returned';
  return steps.map((step, place) => ({ step, state: stateAt(place, reached, isOver) }));
}

function stepsWith(trouble: Trouble | null, scans: readonly Scan[]): Step[] {
  if (trouble === 'returning' || trouble === 'returned') return ['announced', 'in_transit', 'returning', 'returned'];
  const isKept = scans.some(({ status }) => status === 'available_for_pickup');
  return ['announced', 'in_transit', isKept ? 'available_for_pickup' : 'out_for_delivery', 'delivered'];
}

const PLACES: Partial<Record<SubStatus, number>> = {
  pending: -1,
  info_received: 0,
  in_transit: 1,
  out_for_delivery: 2,
  available_for_pickup: 2,
  delivered: 3,
  returned: 3,
};

/** In trouble, or without news, a parcel is where its scans have brought it. */
function reachedIn(subStatus: SubStatus, trouble: Trouble | null, scans: readonly Scan[]): number {
  if (trouble === 'returning') return 2;
  const place = PLACES[subStatus];
  if (place !== undefined) return place;
  return Math.max(0, ...scans.map(({ status }) => Math.min(2, PLACES[status] ?? 1)));
}

function stateAt(place: number, reached: number, isOver: boolean): StepState {
  if (place > reached) return 'todo';
  return place === reached && !isOver ? 'current' : 'done';
}
