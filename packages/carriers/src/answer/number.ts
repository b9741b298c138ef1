/**
 * Whether two numbers are the same: spaces, hyphens, case and leading zeros do not distinguish them. If none was requested,
 * any number matches: raw answers are also read without one.
 */
export function isSameNumber(answered: string, requested: string): boolean {
  return requested === '' || comparable(answered) === comparable(requested);
}

/** A number in the form in which it is compared. */
export function comparable(number: string): string {
  return number
    .replace(/[\s-]/g, '')
    .toUpperCase()
    .replace(/^0{1,99}(?=.)/, '');
}
