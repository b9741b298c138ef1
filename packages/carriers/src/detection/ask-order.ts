import type { Cost } from '../provider.ts';
import { LEAD } from './choose-carrier.ts';
import type { Candidate } from './detect.ts';

/** A candidate, and the requirements of its carrier. */
export type Askable = Candidate & {
  cost: Cost;
  /** Whether the carrier requires a field that was not given, such as a phone. */
  lacksInput: boolean;
};

const CHEAPEST_FIRST: readonly Cost[] = ['free', 'per call', 'per number'];

/**
 * The order in which candidates are checked: the likeliest first; the cheapest first among those that are less than 10 apart;
 * those that require a missing field last.
 * @param most how many of the likeliest are checked.
 */
export function askOrder<A extends Askable>(candidates: readonly A[], max: number): A[] {
  const likeliest = candidates.toSorted((a, b) => b.confidence - a.confidence).slice(0, max);
  const ordered = tiesOf(likeliest).flatMap((tie) => tie.toSorted((a, b) => costOf(a) - costOf(b)));
  return [...ordered.filter(({ lacksInput }) => !lacksInput), ...ordered.filter(({ lacksInput }) => lacksInput)];
}

/** Groups of candidates that are less than 10 below the best of their group. */
function tiesOf<A extends Askable>(sorted: readonly A[]): A[][] {
  const ties: A[][] = [];
  for (const candidate of sorted) {
    const tie = ties.at(-1);
    const best = tie?.[0];
    if (tie && best && best.confidence - candidate.confidence < LEAD) tie.push(candidate);
    else ties.push([candidate]);
  }
  return ties;
}

function costOf({ cost }: Askable): number {
  return CHEAPEST_FIRST.indexOf(cost);
}
