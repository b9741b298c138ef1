import type { DeliveryEstimate } from './estimates.ts';
import { type Message, message } from './languages/message.ts';
import { TROUBLED } from './tracking/derive.ts';
import type { ParcelProblem } from './tracking/scan.ts';
import { SUB_STATUSES, type SubStatus } from './tracking/status.ts';

/** The problems of parcels in trouble that are reasons for attention of their own, and those of `exception`. */
const PROBLEMS_OF = {
  delivery_failed: ['failed_attempt', 'recipient_unavailable'],
  refused: ['refused'],
  address: ['address'],
  customs: ['customs'],
  returning: ['returning'],
  exception: ['other', 'delayed', 'weather', 'damaged', 'lost', 'payment', 'held', 'cancelled'],
} as const satisfies Record<string, readonly ParcelProblem[]>;
type TroubleReason = keyof typeof PROBLEMS_OF;

/** Why a parcel needs somebody's attention: a kind of problem, or what it waits for. */
export const ATTENTION_REASONS = [
  ...(Object.keys(PROBLEMS_OF) as TroubleReason[]),
  'pickup',
  'no_news',
  'not_found',
  'carrier_not_found',
  'late',
  'expired',
] as const;
export type AttentionReason = (typeof ATTENTION_REASONS)[number];

/** After how many days without news a parcel needs attention, by what it waits for; an account can choose others. */
export const ATTENTION_DAYS = {
  pending: 3,
  info_received: 5,
  in_transit: 7,
  out_for_delivery: 2,
  available_for_pickup: 0,
} as const satisfies Partial<Record<SubStatus, number>>;
type WaitingState = keyof typeof ATTENTION_DAYS;
export type AttentionDays = Readonly<Record<WaitingState, number>>;

/** The choices of an account; null for none. */
export type AttentionSettings = {
  /** Whether attention causes events, even if no endpoint subscribes to them. */
  events?: boolean;
  days?: Partial<AttentionDays>;
};

/** The fewest days that an account can choose, and the most: after 30 days without news a parcel is not checked. */
export const MIN_ATTENTION_DAYS: AttentionDays = {
  pending: 1,
  info_received: 1,
  in_transit: 1,
  out_for_delivery: 1,
  available_for_pickup: 0,
};
export const MAX_ATTENTION_DAYS = 29;

/** The choices of an account after a change; null if they are the defaults. */
export function changedAttention(
  settings: AttentionSettings | null,
  change: AttentionSettings,
): AttentionSettings | null {
  const events = change.events ?? settings?.events ?? false;
  const chosen = Object.entries({ ...settings?.days, ...change.days });
  const others = chosen.filter(([state, days]) => days !== ATTENTION_DAYS[state as WaitingState]);
  if (!events && others.length === 0) return null;
  return { ...(events && { events }), ...(others.length > 0 && { days: Object.fromEntries(others) }) };
}

/** The days that count for an account. */
export function attentionDays(settings: AttentionSettings | null): AttentionDays {
  return { ...ATTENTION_DAYS, ...settings?.days };
}

/** States in which a parcel needs attention. */
export type AttentionCondition = {
  states: readonly SubStatus[];
  problem?: ParcelProblem;
  /** Its last news is at least as old as the days of this state. */
  waits?: WaitingState;
  /** Its polling was not stopped: news is expected. */
  isPolled?: boolean;
  /** Its last news is at most this old. */
  recentDays?: number;
  /** Its estimated delivery was over everywhere at most this many days ago. */
  lateDays?: number;
  /** Its last news is not yet as old as the days of this state. */
  isFreshAs?: WaitingState;
  /** Whether its carrier is not known: several are possible, and none has known its number. */
  isUndecided?: boolean;
};

/** A parcel that is later than this has mostly another reason, too. */
const MAX_LATE_DAYS = 10;
const NO_NEWS = ['info_received', 'in_transit', 'out_for_delivery'] as const;

/** When each reason applies: under any of these conditions. This table alone decides; statements are made from it. */
export const ATTENTION_RULES: Readonly<Record<AttentionReason, readonly AttentionCondition[]>> = {
  ...troubleRules(),
  pickup: [{ states: ['available_for_pickup'], waits: 'available_for_pickup' }],
  no_news: NO_NEWS.map((state) => ({ states: [state], waits: state, isPolled: true })),
  not_found: [{ states: ['pending'], waits: 'pending', isPolled: true, isUndecided: false }],
  carrier_not_found: [{ states: ['pending'], waits: 'pending', isPolled: true, isUndecided: true }],
  // Reasons exclude each other: a parcel without news has that one.
  late: NO_NEWS.map((state) => ({ states: [state], isFreshAs: state, lateDays: MAX_LATE_DAYS, isPolled: true })),
  expired: [{ states: ['expired'], recentDays: 30 }],
};

function troubleRules(): Record<TroubleReason, readonly AttentionCondition[]> {
  const rules = Object.entries(PROBLEMS_OF).map(([reason, problems]) => [
    reason,
    problems.map((problem) => ({ states: TROUBLED, problem })),
  ]);
  return Object.fromEntries(rules);
}

/** The parts of a parcel that the rules look at. */
export type AttentionInput = {
  subStatus: SubStatus;
  /** Null if it has none; one in trouble always has one. */
  problem: ParcelProblem | null;
  isUndecided: boolean;
  estimate: Pick<DeliveryEstimate, 'to'> | null;
  /** When its last news was stored, which for a new parcel is its registration. */
  updatedAt: Date;
  /** When the merchant stopped its polling; null while it is polled. */
  stoppedAt: Date | null;
};

export type Attention = {
  reason: AttentionReason;
  /** The reason in words. */
  message: Message;
  /** When it began. */
  since: Date;
};

/** The attention that a parcel needs as an event has it; `since` in RFC 3339. */
export type PushedAttention = { reason: AttentionReason; since: string; details: string };

const DAY_MS = 86_400_000;

const RULES = ATTENTION_REASONS.flatMap((reason) =>
  ATTENTION_RULES[reason].map((condition) => ({ reason, condition })),
);
/** The conditions of a state, in the order of their reasons: lists ask for each of their rows. */
const RULES_OF = new Map(
  SUB_STATUSES.map((state) => [state, RULES.filter(({ condition }) => condition.states.includes(state))]),
);

/** Whether and why a parcel needs attention; null if it does not. */
export function attentionOf(parcel: AttentionInput, now: Date, days: AttentionDays): Attention | null {
  const rule = RULES_OF.get(parcel.subStatus)?.find(({ condition }) => applies(condition, parcel, now, days));
  if (rule === undefined) return null;
  const { reason, condition } = rule;
  const lastNewsAt = parcel.updatedAt.getTime();
  const expected = lastDay(parcel) ?? '';
  const quietDays = Math.floor((now.getTime() - lastNewsAt) / DAY_MS);
  const since = condition.lateDays === undefined ? new Date(lastNewsAt + waitMs(condition, days)) : endOfDay(expected);
  return { reason, message: message(`attention.${reason}`, { days: quietDays, day: expected }), since };
}

/** How long after its last news a parcel in the state of a condition needs attention. */
export function waitMs({ waits }: AttentionCondition, days: AttentionDays): number {
  return waits === undefined ? 0 : days[waits] * DAY_MS;
}

/** For a condition of the parcel's state. */
function applies(condition: AttentionCondition, parcel: AttentionInput, now: Date, days: AttentionDays): boolean {
  const { problem, isPolled = false, recentDays, lateDays, isFreshAs, isUndecided } = condition;
  const quietMs = now.getTime() - parcel.updatedAt.getTime();
  return (
    (problem === undefined || problem === parcel.problem) &&
    quietMs >= waitMs(condition, days) &&
    (!isPolled || parcel.stoppedAt === null) &&
    (recentDays === undefined || quietMs <= recentDays * DAY_MS) &&
    (isFreshAs === undefined || quietMs < days[isFreshAs] * DAY_MS) &&
    (lateDays === undefined || isLate(parcel, lateDays, now)) &&
    (isUndecided === undefined || isUndecided === parcel.isUndecided)
  );
}

function lastDay({ estimate }: Pick<AttentionInput, 'estimate'>): string | undefined {
  return estimate?.to.slice(0, 10);
}

/** Whether the day of the estimate is one of `lateDates`. */
function isLate(parcel: AttentionInput, days: number, now: Date): boolean {
  const day = lastDay(parcel);
  const lateMs = day === undefined ? -1 : now.getTime() - endOfDay(day).getTime();
  return lateMs >= 0 && lateMs < days * DAY_MS;
}

/** Where the day ends last. */
const LAST_ZONE_HOURS = 12;

/** The last days of estimates (`2026-11-24`) that are late: so many days, the newest of which is over everywhere. */
export function lateDates(days: number, now: Date): string[] {
  const today = now.getTime() - LAST_ZONE_HOURS * 3_600_000;
  return Array.from({ length: days }, (_, n) => new Date(today - (n + 1) * DAY_MS).toISOString().slice(0, 10));
}

/** When a day (`2026-11-24`) is over everywhere. */
export function endOfDay(day: string): Date {
  return new Date(Date.parse(day) + DAY_MS + LAST_ZONE_HOURS * 3_600_000);
}

/** The description, in words, that holds for every parcel with this reason. */
export function reasonText(reason: AttentionReason): Message {
  const days = reason === 'late' ? MAX_LATE_DAYS : ATTENTION_RULES[reason].map(daysOf);
  return message(`reason.${reason}`, { days });
}

/** `5 days (info_received)`; for the only condition of a reason, `3 days`. An account may have chosen others. */
function daysOf(condition: AttentionCondition, _: number, { length }: readonly AttentionCondition[]): Message {
  const days = waitMs(condition, ATTENTION_DAYS) / DAY_MS;
  return length === 1
    ? message('reason.days', { days })
    : message('reason.days_in', { days, state: condition.states.join() });
}

/** Why an account itself needs attention: none of its parcels can be registered, or it misses pushes. */
export const ACCOUNT_REASONS = ['quota_exhausted', 'endpoint_disabled'] as const;
type AccountReason = (typeof ACCOUNT_REASONS)[number];

export type AccountAttention = {
  reason: AccountReason;
  /** The reason in words. */
  message: Message;
  /** The id of a disabled endpoint. */
  webhookId?: string;
};

/** An endpoint; `disabledReason` is null unless the service itself disabled it. */
type Endpoint = { id: string; url: string; enabled: boolean; disabledReason: Message | string | null };

/**
 * The reasons why an account itself needs attention. An endpoint that the account has disabled itself is none.
 * @param quota in units; `resetsAt` is the start of the next month.
 */
export function accountAttention(
  quota: { remaining: number; limit: number; resetsAt: Date },
  endpoints: readonly Endpoint[],
): AccountAttention[] {
  const exhausted: AccountAttention[] =
    quota.remaining > 0
      ? []
      : [
          {
            reason: 'quota_exhausted',
            message: message('attention.quota_exhausted', {
              limit: quota.limit,
              day: quota.resetsAt.toISOString().slice(0, 10),
            }),
          },
        ];
  const disabled = endpoints.flatMap(({ id, url, enabled, disabledReason }): AccountAttention[] =>
    enabled || disabledReason === null
      ? []
      : [
          {
            reason: 'endpoint_disabled',
            message: message('attention.endpoint_disabled', { url, reason: disabledReason }),
            webhookId: id,
          },
        ],
  );
  return [...exhausted, ...disabled];
}
