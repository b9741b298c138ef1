import type { SubStatus } from '../tracking/status.ts';
import { PROBLEM_STATES, PROBLEMS, type Problem } from './problem.ts';

/** Why a parcel needs somebody's attention: its problem, or what it waits for. */
export const ATTENTION_REASONS = [
  ...PROBLEMS,
  'pickup',
  'no_news',
  'not_found',
  'carrier_not_found',
  'expired',
] as const;
export type AttentionReason = (typeof ATTENTION_REASONS)[number];

/** States in which a parcel needs attention. */
export type AttentionCondition = {
  states: readonly SubStatus[];
  problem?: Problem;
  /** Its last news is at least this old, and its polling was not stopped. */
  quietDays?: number;
  /** Its last news is at most this old. */
  recentDays?: number;
  /** Whether its carrier is not known: several are possible, and none has known its number. */
  isUndecided?: boolean;
};

/** When each reason applies: under any of these conditions. This table alone decides; statements are made from it. */
export const ATTENTION_RULES: Readonly<Record<AttentionReason, readonly AttentionCondition[]>> = {
  delivery_failed: [{ states: PROBLEM_STATES, problem: 'delivery_failed' }],
  refused: [{ states: PROBLEM_STATES, problem: 'refused' }],
  address: [{ states: PROBLEM_STATES, problem: 'address' }],
  customs: [{ states: PROBLEM_STATES, problem: 'customs' }],
  returning: [{ states: PROBLEM_STATES, problem: 'returning' }],
  exception: [{ states: PROBLEM_STATES, problem: 'exception' }],
  pickup: [{ states: ['available_for_pickup'] }],
  no_news: [
    { states: ['info_received'], quietDays: 5 },
    { states: ['in_transit'], quietDays: 7 },
    { states: ['out_for_delivery'], quietDays: 2 },
  ],
  not_found: [{ states: ['pending'], quietDays: 3, isUndecided: false }],
  carrier_not_found: [{ states: ['pending'], quietDays: 3, isUndecided: true }],
  expired: [{ states: ['expired'], recentDays: 30 }],
};

/** The parts of a parcel that the rules look at. */
export type AttentionInput = {
  subStatus: SubStatus;
  /** Null if nothing more is known about it. */
  problem: Problem | null;
  isUndecided: boolean;
  /** When its last news was stored, which for a new parcel is its registration. */
  updatedAt: Date;
  /** When the merchant stopped its polling; null while it is polled. */
  stoppedAt: Date | null;
};

export type Attention = {
  reason: AttentionReason;
  /** The reason in words. */
  message: string;
};

const DAY_MS = 86_400_000;

/** Whether and why a parcel needs attention; null if it does not. */
export function attentionOf(parcel: AttentionInput, now: Date): Attention | null {
  const reason = ATTENTION_REASONS.find((each) => ATTENTION_RULES[each].some((one) => applies(one, parcel, now)));
  if (reason === undefined) return null;
  const quietDays = Math.floor((now.getTime() - parcel.updatedAt.getTime()) / DAY_MS);
  return { reason, message: WORDS[reason](quietDays) };
}

function applies(condition: AttentionCondition, parcel: AttentionInput, now: Date): boolean {
  const { states, problem, quietDays, recentDays, isUndecided } = condition;
  const quietMs = now.getTime() - parcel.updatedAt.getTime();
  return (
    states.includes(parcel.subStatus) &&
    (problem === undefined || problem === (parcel.problem ?? 'exception')) &&
    (quietDays === undefined || (quietMs >= quietDays * DAY_MS && parcel.stoppedAt === null)) &&
    (recentDays === undefined || quietMs <= recentDays * DAY_MS) &&
    (isUndecided === undefined || isUndecided === parcel.isUndecided)
  );
}

const WORDS: Readonly<Record<AttentionReason, (quietDays: number) => string>> = {
  delivery_failed: () => 'A delivery attempt failed.',
  refused: () => 'The recipient refused the parcel.',
  address: () => 'The carrier reports a problem with the address.',
  customs: () => 'The parcel is held by customs.',
  returning: () => 'The parcel is on its way back to the sender.',
  exception: () => 'The carrier reports a problem; the latest event says which.',
  pickup: () => 'The parcel waits to be picked up by the recipient.',
  no_news: (days) => `There has been no news for ${days} days.`,
  not_found: (days) => `The carrier has not known the number for ${days} days. Check the number and the carrier.`,
  carrier_not_found: (days) =>
    `No carrier that the number may belong to has known it for ${days} days. Check the number, or name its carrier.`,
  expired: () => 'There was no news for 30 days; the parcel is no longer checked.',
};

/** What every parcel with this reason has in common, in words. */
export const REASON_TEXTS: Readonly<Record<AttentionReason, string>> = {
  delivery_failed: 'a delivery attempt failed',
  refused: 'the recipient refused it',
  address: 'the carrier reports a problem with the address',
  customs: 'customs holds it',
  returning: 'it is on its way back to the sender',
  exception: 'the carrier reports another problem',
  pickup: 'it waits at a pickup point',
  no_news: `no news ${quietText('no_news')}`,
  not_found: `the carrier has not known the number ${quietText('not_found')}`,
  carrier_not_found: `none of the carriers that the number may belong to has known it ${quietText('carrier_not_found')}`,
  expired: 'no news for 30 days, within the last 30 days; it is no longer checked',
};

/** `for 5 days (info_received), 7 days (in_transit)` or `for 3 days`. */
function quietText(reason: AttentionReason): string {
  const conditions = ATTENTION_RULES[reason];
  const texts = conditions.map(({ states, quietDays }) =>
    conditions.length === 1 ? `${quietDays} days` : `${quietDays} days (\`${states.join()}\`)`,
  );
  return `for ${texts.join(', ')}`;
}
