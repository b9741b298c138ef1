/** ISO 8601 UTC to the second, with Z (spec section 2.4). */
export function toUtcSeconds(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** ISO 8601 without zone suffix, UTC (spec section 2.2, `created_at` of a registration). */
export function toNaiveUtc(date: Date): string {
  return date.toISOString().slice(0, 19);
}

/** The first day of the UTC month of a moment: the key of its quota period. */
export function monthOf(date: Date): Date {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1));
}

/** The first moment of the following UTC month: when a quota resets (spec section 8). */
export function nextMonthOf(date: Date): Date {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1));
}
