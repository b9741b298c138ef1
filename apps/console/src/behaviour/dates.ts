import type { Shipment } from '@pts/client/types';

/** Periods up to now, in days of the reader's calendar, today included. */
export const PERIODS = { '1d': 1, '7d': 7, '30d': 30, '90d': 90 } as const;
type Period = keyof typeof PERIODS;

const DAYS = /^(\d{4}-\d{2}-\d{2})?\.\.(\d{4}-\d{2}-\d{2})?$/;

/** From `after` to before `before`. */
export type Range = { after?: Date; before?: Date };

export function isPeriod(text: string): text is Period {
  return Object.hasOwn(PERIODS, text);
}

/** The first and last day of `2031-11-01..2031-11-08`; empty: missing or invalid. Null: not a range of days. */
export function daysOf(text: string): { first: string; last: string } | null {
  const found = DAYS.exec(text);
  return found && { first: dateOrNone(found[1]), last: dateOrNone(found[2]) };
}

/** The times of a period or of days, in the time zone of the reader; null: the text is neither. */
export function rangeOf(text: string, now: Date): Range | null {
  if (isPeriod(text)) return { after: startOfDay(now, 1 - PERIODS[text]) };
  const days = daysOf(text);
  if (days === null) return null;
  const [first, last] = [days.first, days.last].map((day) => new Date(`${day}T00:00`));
  return {
    ...(isTime(first) ? { after: first } : {}),
    ...(isTime(last) ? { before: startOfDay(last, 1) } : {}),
  };
}

/** Midnight, so many days away. */
export function startOfDay(at: Date, days: number): Date {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + days);
}

function dateOrNone(day: string | undefined): string {
  return day !== undefined && isTime(new Date(`${day}T00:00`)) ? day : '';
}

function isTime(date: Date | undefined): date is Date {
  return date !== undefined && !Number.isNaN(date.getTime());
}

/** An instant in the form of a field of date and time: local, to the minute. */
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

export type Estimate = NonNullable<Shipment['estimated_delivery']>;

/** Estimates are dates without a time, or instants. */
export function isDay(text: string): boolean {
  return text.length === 'YYYY-MM-DD'.length;
}

/**
 * Whether a parcel should have arrived by `now`, in milliseconds. A date ends with its day in the time zone of the
 * reader.
 */
export function isLate({ to }: Estimate, now: number): boolean {
  return (isDay(to) ? startOfDay(new Date(`${to}T00:00`), 1) : new Date(to)).getTime() <= now;
}
