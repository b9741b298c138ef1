import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { Change } from '@pts/core/tracking/change';
import { allowedAt, currentOf, nextCandidate, candidateAnswerOf } from '@pts/core/tracking/undecided';
import type { Outcome } from './answer-snapshot.ts';
import type { Cadence } from './schedule.ts';

type Entry = {
  answer: CarrierAnswer;
  /** The carrier that was queried; absent: the current one. */
  carrier?: string;
  /** A provider with an outage, whose candidates are skipped. */
  avoids?: string;
};

/**
 * The outcome of a candidate's answer. A find of any candidate decides; any other answer counts only from the current candidate,
 * so that two processes never move on twice.
 * @param outcome what the answer would change if its carrier were the parcel's.
 * @returns null if the answer must be dropped.
 */
export function outcomeOfCandidate(outcome: Outcome, entry: Entry, cadence: Cadence, now: Date): Outcome | null {
  const undecided = outcome.tracking.candidates;
  if (undecided === null) return outcome;
  const carrier = entry.carrier ?? currentOf(undecided)?.carrier;
  const at = undecided.candidates.findIndex((candidate) => candidate.carrier === carrier);
  const said = candidateAnswerOf(entry.answer, outcome.change);
  if (at < 0 || (at !== undecided.at && said !== 'found')) return null;
  const step = nextCandidate({ ...undecided, at }, said, { now, isAvailable: availableIn(cadence, entry) });
  switch (step.kind) {
    case 'decided': {
      const tracking = { ...outcome.tracking, carrier: step.carrier };
      return { ...outcome, tracking, step: { kind: 'decided', provider: step.provider } };
    }
    case 'stay':
      return null;
    case 'nobody':
      return { ...outcome, change: unchanged(outcome, entry.answer) };
    case 'ask': {
      const next = currentOf(step.undecided)?.provider ?? '';
      const dueAt = allowedAt(step.undecided, cadence.floors?.[next] ?? cadence.floorSeconds, now);
      const endsFirstRound = undecided.isFirstRound && !step.isAtOnce;
      return {
        ...outcome,
        change: unchanged(outcome, said === 'needs_input' ? entry.answer : null),
        // Until the first round is over, there is no answer to compare with.
        fingerprint: step.isAtOnce ? null : outcome.fingerprint,
        step: { ...step, endsFirstRound, isOutage: said === 'outage', dueAt },
      };
    }
    default:
      return step satisfies never;
  }
}

/**
 * The answer says nothing about the parcel. The field that a candidate needs is shown until a carrier is found; null: the
 * notice does not change.
 */
function unchanged({ tracking }: Outcome, shown: CarrierAnswer | null): Change {
  const { scans, status, subStatus, annotations } = tracking;
  const notice = shown?.kind === 'failed' ? shown.message : tracking.notice;
  const after = { scans, status, subStatus, notice, ...(annotations === undefined ? {} : { annotations }) };
  return { after, emits: [] };
}

function availableIn({ floors }: Cadence, { avoids }: Entry): (provider: string) => boolean {
  return (provider) => provider !== avoids && (floors === undefined || Object.hasOwn(floors, provider));
}
