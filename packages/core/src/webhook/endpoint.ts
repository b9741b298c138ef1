import { type Message, message } from '../languages/message.ts';
import { parseInstant } from '../time.ts';

/** An endpoint and its account: statements about the endpoint name both. */
export type EndpointKey = { webhookId: string; accountId: string };
/** An endpoint with pending deliveries, and whether it has been failing. */
export type PendingEndpoint = EndpointKey & { isFailing: boolean };

/** The maximum number of webhooks of an account. */
export const MAX_WEBHOOKS = 10;

/** Pending deliveries of a webhook are counted up to this number, which then means "this many or more". */
export const MAX_PENDING = 1000;

/** The maximum number of other attempts of its message in a delivery record. */
export const MAX_OTHER_ATTEMPTS = 100;

/** How many replays of a webhook are listed, newest first. */
export const MAX_REPLAYS = 50;

/** How many events of a tracking are listed, newest first. */
export const MAX_TRACKING_EVENTS = 100;

/** How many of the newest attempts of a webhook say how it does. */
export const RECENT_ATTEMPTS = 200;

/** How many hours of a webhook's attempts are shown, the current one included. */
export const ENDPOINT_HOURS = 24;

/** An endpoint whose deliveries have all failed for this long is disabled. */
const GIVE_UP_AFTER_MS = 5 * 24 * 3_600_000;

/** Failures further apart than this are not one outage: the longest pause of the retry schedule is 34 hours. */
export const OUTAGE_GAP_MS = 3 * 24 * 3_600_000;

/** Why an endpoint that has been failing since `failingSince` is disabled at `now`; null if it is not. */
export function giveUpReason(failingSince: Date, now: Date): Message | null {
  if (now.getTime() - failingSince.getTime() < GIVE_UP_AFTER_MS) return null;
  return message('endpoint.gave_up', { day: failingSince.toISOString().slice(0, 10) });
}

/** The concurrency window of an endpoint and its response times. */
export type ConcurrencyWindow = {
  /** The maximum number of pushes in flight. */
  size: number;
  /** Moving average of the response time, in milliseconds. */
  answerMs: number;
};

/** The maximum number of pushes in flight to one endpoint. */
export const WIDEST_WINDOW = 64;
/**
 * The minimum, also for a failing endpoint: a few thousand first attempts to a hanging receiver must not take a day.
 */
const MIN_WINDOW = 2;
/** The maximum for a slow endpoint, even if it always succeeds. */
const SLOW_WINDOW = 16;
const SLOW_MS = 2000;
const WEIGHT = 0.2;

/** The initial window of an endpoint, by whether it has been failing. */
export function firstWindow(isFailing: boolean): ConcurrencyWindow {
  return { size: isFailing ? MIN_WINDOW : 2 * MIN_WINDOW, answerMs: 0 };
}

/**
 * The window after a response. Every success widens the window by one, so it doubles with each round of successes:
 * a recovering endpoint is ramped up. Every failure halves it.
 */
export function windowAfter(window: ConcurrencyWindow, succeeded: boolean, durationMs: number): ConcurrencyWindow {
  const answerMs = window.answerMs + WEIGHT * (durationMs - window.answerMs);
  const widest = answerMs > SLOW_MS ? SLOW_WINDOW : WIDEST_WINDOW;
  const size = succeeded ? Math.min(widest, window.size + 1) : Math.max(MIN_WINDOW, Math.floor(window.size / 2));
  return { size, answerMs };
}

/** Whether an endpoint is too slow to use the places that are reserved for fast endpoints. */
export function isSlow({ answerMs }: ConcurrencyWindow): boolean {
  return answerMs > SLOW_MS;
}

/** A webhook's secrets as they are stored. */
export type StoredSecrets = {
  encryptedSecret: string;
  /** Replaced secrets, newest first, and until when each keeps signing. */
  retiredSecrets: readonly string[];
  retiredUntil: readonly Date[];
};

type Retired = { secret: string; until: number };

/** A replaced secret keeps signing for this long. */
const ROTATION_MS = 24 * 3_600_000;
/** An attempt that starts during a rotation may still use the secrets from before. */
const SETTLING_MS = 60_000;

/**
 * The most secrets that sign at once, including the newest. Their header has about 1.4 KiB, which every receiver
 * accepts.
 */
export const MAX_SIGNING = 20;

/**
 * The secrets after a rotation at `at`. No rotation shortens the 24 hours of another secret: a rotation with too many
 * active secrets is refused, with the time from which it is possible.
 */
export function rotate(
  stored: StoredSecrets,
  encryptedSecret: string,
  at: Date,
): { kind: 'rotated'; secrets: StoredSecrets } | { kind: 'too_many'; until: Date } {
  const retired = retiredOf(stored);
  const signing = retired.filter(({ until }) => until > at.getTime());
  const oldest = signing.at(-1);
  if (oldest && signing.length + 2 > MAX_SIGNING) return { kind: 'too_many', until: new Date(oldest.until) };
  // Kept for another 24 hours, so that the delivery log knows which secrets signed an attempt.
  const kept = retired.filter(({ until }) => until > at.getTime() - ROTATION_MS);
  const secrets = {
    encryptedSecret,
    retiredSecrets: [stored.encryptedSecret, ...kept.map(({ secret }) => secret)],
    retiredUntil: [new Date(at.getTime() + ROTATION_MS), ...kept.map(({ until }) => new Date(until))],
  };
  return { kind: 'rotated', secrets };
}

/** The secrets that sign at a moment, newest first, as they are stored. */
export function signingSecrets(stored: StoredSecrets, at: Date): string[] {
  const signing = retiredOf(stored).filter(({ until }) => until > at.getTime());
  return [stored.encryptedSecret, ...signing.map(({ secret }) => secret)];
}

/** The secrets that signed at a past moment; null if it is too long ago to know. */
export function signingSecretsThen(stored: StoredSecrets, at: Date): string[] | null {
  const retired = retiredOf(stored);
  const [latest] = retired;
  const oldest = retired.at(-1);
  if (!latest || !oldest) return [stored.encryptedSecret];
  const time = at.getTime();
  // A day before its last rotation, and before the first known one, other secrets may have signed as well.
  if (time < replacedAt(oldest) || time < replacedAt(latest) - ROTATION_MS) return null;
  if (retired.some((secret) => time >= replacedAt(secret) && time < replacedAt(secret) + SETTLING_MS)) return null;
  const newer = retired.filter((secret) => replacedAt(secret) > time);
  const current = newer.at(-1)?.secret ?? stored.encryptedSecret;
  const older = retired.slice(newer.length).filter(({ until }) => until > time);
  return [current, ...older.map(({ secret }) => secret)];
}

function replacedAt({ until }: Retired): number {
  return until - ROTATION_MS;
}

function retiredOf({ retiredSecrets, retiredUntil }: StoredSecrets): Retired[] {
  return retiredSecrets.map((secret, i) => ({ secret, until: retiredUntil[i]?.getTime() ?? 0 }));
}

const DAY_MS = 24 * 3_600_000;

export type ReplayRange = { since: Date; until: Date };
type RangeFault = { field: 'since' | 'until'; message: Message };

/** The time range to replay (until now by default), or what is wrong with it. */
export function replayRange(
  input: { since: string; until?: string | undefined },
  { now, retentionDays }: { now: Date; retentionDays: number },
): ReplayRange | RangeFault {
  const since = parseInstant(input.since);
  const until = input.until === undefined ? now : parseInstant(input.until);
  if (since === null) return { field: 'since', message: message('field.instant') };
  if (until === null) return { field: 'until', message: message('field.instant') };
  if (until > now) return { field: 'until', message: message('field.not_future') };
  if (since >= until) return { field: 'since', message: message('field.before', { end: 'until' }) };
  if (now.getTime() - since.getTime() > retentionDays * DAY_MS)
    return { field: 'since', message: message('field.messages_expired', { days: retentionDays }) };
  return { since, until };
}
