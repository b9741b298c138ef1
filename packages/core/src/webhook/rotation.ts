/** A stored secret and, after a rotation, the one before and until when it signs along. */
export type StoredSecrets = { secretBox: string; previousSecretBox: string | null; previousUntil: Date | null };

/** The secrets that sign at a moment, newest first, as they are stored. */
export function signingBoxes({ secretBox, previousSecretBox, previousUntil }: StoredSecrets, at: Date): string[] {
  const isRotating = previousSecretBox !== null && previousUntil !== null && previousUntil > at;
  return isRotating ? [secretBox, previousSecretBox] : [secretBox];
}
