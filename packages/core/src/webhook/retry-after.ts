/** A Retry-After is capped at the longest pause of the retry schedule. */
const MAX_SECONDS = 24 * 3600;

/**
 * The time in the Retry-After of a receiver that answered 429 or 503, in seconds or as an HTTP date.
 * @returns null if it is missing, invalid or in the past.
 */
export function retryAfter(status: number, header: string | null, now: Date): Date | null {
  if (header === null || (status !== 429 && status !== 503)) return null;
  const text = header.trim();
  const seconds = /^\d{1,12}$/.test(text) ? Number(text) : (Date.parse(text) - now.getTime()) / 1000;
  return seconds > 0 ? new Date(now.getTime() + Math.min(seconds, MAX_SECONDS) * 1000) : null;
}
