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

/** The most secrets that sign at once, including the newest. Their header has about 1.4 KiB, which every receiver accepts. */
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
