import type { Failure } from '@pts/core/tracking/answer';
import type { ScanStatus, Status } from '@pts/core/tracking/status';
import type { Stage } from './route.ts';
import type { StoryText } from './wording.ts';

/** Why the sandbox may refuse to answer about a number. */
export type SandboxFailure = Extract<
  Failure,
  'invalid_number' | 'needs_input' | 'transient' | 'rate_limited' | 'unreadable'
>;

/** One scan of a script. Seconds are counted from the first query for the number, at speed 1. */
export type Step = {
  at: number;
  where: Stage;
  text: StoryText;
  /** When the carrier starts to list it, if later than it was made. */
  listedAt?: number;
  /** When its text changes: same time, same status, new text. */
  corrected?: { at: number; text: StoryText };
  /** Listed this many times, if not once. */
  copies?: number;
  /** When the carrier stops listing it. */
  listedUntil?: number;
  /** When it is reclassified: same time, same text, the status of another text. */
  reclassified?: { at: number; as: StoryText };
  /** Made this many days earlier, for an earlier parcel with the same number. */
  daysBefore?: number;
};

/** How the carrier answers. */
export type Manner =
  | { kind: 'at-once' }
  /** `spedUp` waits get shorter with the sandbox's speed; a hold meant to outlast a client's timeout does not. */
  | { kind: 'after'; seconds: number; spedUp: boolean }
  | { kind: 'every-other-question' }
  | { kind: 'given-a-phone' }
  | { kind: 'about-another-number' }
  | { kind: 'never'; failure: SandboxFailure; message: string; retryAfterSeconds?: number };

/**
 * What goes wrong with the callbacks of a number from `at` on: they get lost, the subscription is given up once, or the company
 * is corrected. Queries are not affected.
 */
export type CallbackFault = { at: number } & (
  | { kind: 'lost' }
  | { kind: 'aborted' }
  | { kind: 'corrected'; company: string }
);

/** `steps` are in order of time; while none is listed, the number is not found. */
export type Story = {
  summary: string;
  manner: Manner;
  steps: readonly Step[];
  /** When the answers are about another parcel; without `until`, permanently. */
  otherParcel?: { from: number; until?: number };
  /** By how many hours all times are wrong, and until when. */
  shifted?: { until: number; hours: number };
  /** How many pieces the shipment has; each has its own delivery scan. */
  pieces?: number;
  /** The overall statuses that a merchant sees, and the last state, where the steps alone do not show them. */
  statuses?: readonly Status[];
  endsAs?: ScanStatus;
  callbackFault?: CallbackFault;
};
