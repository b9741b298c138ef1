/** What delays a check or a retrack of a parcel. */
export const HOLD_KINDS = [
  'provider_floor',
  'provider_paused',
  'provider_budget',
  'retrack_interval',
  'first_answer',
  'input_needed',
  'no_provider',
] as const;
export type HoldKind = (typeof HOLD_KINDS)[number];

/** Why a parcel is polled or not. */
export const WATCH_REASONS = [
  'regular',
  'pushed',
  'final_look',
  'delivered',
  'returned',
  'expired',
  'stopped',
  'invalid_number',
  'no_provider',
] as const;
export type WatchReason = (typeof WATCH_REASONS)[number];

/** The state of a parcel's subscription to its provider's pushes. */
export const CALLBACK_STATES = ['pushing', 'awaited', 'wanted', 'ended', 'refused'] as const;
export type CallbackState = (typeof CALLBACK_STATES)[number];

/** Check failures that a merchant cannot fix. */
export const CHECK_FAILURES = ['transient', 'unreadable', 'temporary', 'unsaved', 'other'] as const;
export type CheckFailure = (typeof CHECK_FAILURES)[number];
