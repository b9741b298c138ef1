/** A stored secret and, after a rotation, the one before and until when it signs along. */
export type StoredSecrets = { secretBox: string; previousSecretBox: string | null; previousUntil: Date | null };

/** After a rotation the secret before signs along for this long. */
const ROTATION_MS = 24 * 3_600_000;
/** An attempt that starts as its secret is rotated may have been handed the one before. */
const SETTLING_MS = 60_000;

/** Until when the secret before signs along, if it is replaced at `at`. */
export function previousUntil(at: Date): Date {
  return new Date(at.getTime() + ROTATION_MS);
}

/** The secrets that sign at a moment, newest first, as they are stored. */
export function signingBoxes({ secretBox, previousSecretBox, previousUntil }: StoredSecrets, at: Date): string[] {
  const isRotating = previousSecretBox !== null && previousUntil !== null && previousUntil > at;
  return isRotating ? [secretBox, previousSecretBox] : [secretBox];
}

/** The secrets that signed at a moment of the past; null when it is too long ago to tell which they were. */
export function signingBoxesThen(stored: StoredSecrets, at: Date): string[] | null {
  const { previousUntil: until } = stored;
  const rotatedAt = until === null ? Number.NEGATIVE_INFINITY : until.getTime() - ROTATION_MS;
  return at.getTime() < rotatedAt + SETTLING_MS ? null : signingBoxes(stored, at);
}
