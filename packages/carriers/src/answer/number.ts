/**
 * Whether two numbers are the same: spaces, hyphens, case, leading zeros and the routing of USPS do not distinguish them. If none
 * was requested, any number matches: raw answers are also read without one.
 */
export function isSameNumber(answered: string, requested: string): boolean {
  return requested === '' || comparable(answered) === comparable(requested);
}

/** The routing that USPS may print before a number: 420 and the ZIP of the destination. Answers may leave it out. */
const ROUTING = /^420(?:\d{5}|\d{9})(?=9[1-5]\d{20}(?:\d{4}|\d{8}|\d{12})?$)/;

/** A number in the form in which it is compared. */
export function comparable(number: string): string {
  return number
    .replace(/[\s-]/g, '')
    .toUpperCase()
    .replace(ROUTING, '')
    .replace(/^0{1,99}(?=.)/, '');
}
