/** As a field of date and time shows an instant: local, to the minute. */
export function localText(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The reader's day at an instant, as `2031-03-04`. */
export function localDay(at: Date): string {
  return localText(at).slice(0, 10);
}

/** The instant that such a field shows; null: none, or not a whole one. */
export function instantOf(text: string): string | null {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
