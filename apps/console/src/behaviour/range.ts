/** Periods up to now, in days of the reader's calendar, today included. */
export const PERIODS = { '1d': 1, '7d': 7, '30d': 30, '90d': 90 } as const;
export type Period = keyof typeof PERIODS;

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
