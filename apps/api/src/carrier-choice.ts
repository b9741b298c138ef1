import { chooseCarrier } from '@pts/carriers/detection/choose-carrier';
import { findCarrier } from '@pts/carriers/registry';
import type { Explained } from '@pts/db/explain';

/** What each confidence rests on, from the surest down: how the forms of the carriers' numbers are weighted. */
const REASONS: readonly [least: number, reason: string][] = [
  [100, 'a number form of its own with the right check digit'],
  [85, 'a prefix of its own and an exact length, or a prefix and the right check digit'],
  [70, 'a narrow prefix and an exact length'],
  [45, 'the right check digit alone, or a wider prefix'],
  [20, 'a weak prefix, or a known form with a wrong check digit'],
  [0, 'a length that many carriers share'],
];

/** Why a tracking has the carrier that it has. */
export function explainCarrier({ carrier, detected, trackingNumber }: Explained, options: { sandbox: boolean }) {
  const { carrier: best, candidates } = chooseCarrier(trackingNumber, options);
  return {
    courier_code: carrier,
    courier_name: findCarrier(carrier, options)?.name ?? null,
    chosen_by: detected ? 'detection' : 'merchant',
    message: messageOf(carrier, detected, best),
    candidates: candidates.map(({ carrier: code, confidence }) => ({
      courier_code: code,
      confidence,
      reason: REASONS.find(([least]) => confidence >= least)?.[1] ?? '',
    })),
  };
}

function messageOf(carrier: string, detected: boolean, best: string | null): string {
  if (!detected && best !== null && best !== carrier)
    return `The merchant named it; detection would choose ${best}. PATCH /api/v1/trackings/{id} with courier_code changes it.`;
  if (!detected) return 'The merchant named it.';
  return 'It was detected from the number. If it is wrong, name the right one: PATCH /api/v1/trackings/{id} with courier_code.';
}
