/**
 * Whether an answer's number is the requested one; spaces, hyphens and case do not matter. If none was requested, any
 * number matches: raw answers are also read without one.
 */
export function isSameNumber(answered: string, asked: string): boolean {
  return asked === '' || normalise(answered) === normalise(asked);
}

function normalise(number: string): string {
  return number.replace(/[\s-]/g, '').toUpperCase();
}
