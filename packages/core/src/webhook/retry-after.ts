/** A receiver is not left alone for longer than the ladder's own longest wait would leave it, whatever it asks. */
const MOST_SECONDS = 24 * 3600;

/**
 * When a receiver that answered 429 or 503 wants to be asked again: its Retry-After, in seconds or as an HTTP date.
 * @returns null when it says nothing that can be understood, or a time that has passed.
 */
export function retryAfter(status: number, header: string | null, now: Date): Date | null {
  if (header === null || (status !== 429 && status !== 503)) return null;
  const text = header.trim();
  const seconds = /^\d{1,12}$/.test(text) ? Number(text) : (Date.parse(text) - now.getTime()) / 1000;
  return seconds > 0 ? new Date(now.getTime() + Math.min(seconds, MOST_SECONDS) * 1000) : null;
}
