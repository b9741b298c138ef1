import { type Fault, invalidField } from './errors.ts';
import { message } from './languages/message.ts';

const DAY_MS = 86_400_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));
/** The day that was formatted last: a page of records has few days and hundreds of times. */
let lastDay = { number: Number.NaN, text: '' };

/** ISO 8601 UTC to the second, with Z (spec section 2.4). */
export function toUtcSeconds(date: Date): string {
  const day = Math.floor(date.getTime() / DAY_MS);
  if (day !== lastDay.number) lastDay = { number: day, text: date.toISOString().slice(0, 10) };
  const seconds = Math.floor(date.getTime() / 1000) - day * 86_400;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `${lastDay.text}T${TWO_DIGITS[hours]}:${TWO_DIGITS[minutes]}:${TWO_DIGITS[seconds % 60]}Z`;
}

/**
 * The form that `toUtcSeconds` writes, also with the offset of a zone: times in answers are never finer than a second.
 */
export const WHOLE_SECONDS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:Z|[+-]\d{2}:\d{2})$/;

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

/**
 * RFC 3339, as generated clients send it: any time zone, up to nanoseconds. In a query, a `+` that is not encoded is a
 * space.
 */
const INSTANT = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(\.\d{1,9})?(?:Z|([+ -])(\d{2}):(\d{2}))$/;

/** Years with four digits, in UTC: others have no text in this form. */
const YEARS = { from: Date.parse('0000-01-01T00:00:00Z'), until: Date.parse('+010000-01-01T00:00:00Z') } as const;

/**
 * The moment that a text names, to the millisecond; null if it names none, such as 30 February, which `Date` would read
 * as 2 March.
 */
export function parseInstant(text: string): Date | null {
  const [, local, fraction = '', sign, hours = '0', minutes = '0'] = INSTANT.exec(text) ?? [];
  if (local === undefined || Number(hours) > 23 || Number(minutes) > 59) return null;
  const date = new Date(`${local}${fraction.slice(0, 4)}Z`);
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 19) !== local) return null;
  const ahead = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  const at = date.getTime() - ahead * 60_000;
  return at < YEARS.from || at >= YEARS.until ? null : new Date(at);
}

/** The faults in the two fields of a filter that begin and end a range of time; an empty value means no bound. */
export function rangeFaults(filter: Record<string, unknown>, from: string, until: string): Fault[] {
  const [begin, end] = [boundOf(filter[from]), boundOf(filter[until])];
  return [
    ...(begin === null ? [invalidField(from, message('field.instant'))] : []),
    ...(end === null ? [invalidField(until, message('field.instant'))] : []),
    ...(begin && end && begin > end ? [invalidField(from, message('field.not_after', { until }))] : []),
  ];
}

/** Undefined: no bound; null: not a time. */
function boundOf(text: unknown): Date | null | undefined {
  return typeof text === 'string' && text !== '' ? parseInstant(text) : undefined;
}
