import { fill, type Language, TEXTS } from '@pts/core/languages/texts';
import { type Day, dayIn, type Expectation } from '@pts/core/page';

/** Dates and times as a language writes them. */
export type Dates = {
  /** `Tue 4 March`, with the year if it is another one. */
  day(day: Day): string;
  /** `today`, `yesterday`, or the day. */
  heading(day: Day, today: Day): string;
  time(zone: string, moment: Date): string;
  number(value: number): string;
  /** When a parcel is or was expected, with where that comes from: `2–5 Mar (estimate)`. */
  expectation(expectation: Expectation, zone: string): string;
};

/** @param now for which years are left out. */
export function datesIn(language: Language, now: Date): Dates {
  const { locale, page } = TEXTS[language];
  const day = (text: Day) => format(locale, dayOptions(text, now)).format(middayOf(text));
  const expectation = ({ from, to, source, hours }: Expectation, zone: string) => {
    const { weekday: _, ...options } = dayOptions(to, now);
    const range = format(locale, options);
    const days = from === to ? day(to) : range.formatRange(middayOf(from), middayOf(to));
    const clock = format(locale, { ...CLOCK, timeZone: zone });
    const at = hours && clock.formatRange(new Date(hours.from), new Date(hours.to));
    return fill(page.sourced, { date: at === undefined ? days : `${days}, ${at}`, source: page.source[source] });
  };
  return {
    day,
    expectation,
    heading: (text, today) => {
      const ago = Math.round((middayOf(text).getTime() - middayOf(today).getTime()) / 86_400_000);
      if (ago > 0 || ago < -1) return day(text);
      const named = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(ago, 'day');
      return named.replace(/^\p{Ll}/u, (letter) => letter.toLocaleUpperCase(locale));
    },
    time: (zone, moment) => format(locale, { ...CLOCK, timeZone: zone }).format(moment),
    number: (value) => new Intl.NumberFormat(locale).format(value),
  };
}

/** Of 24 hours in every language: short, and the same for all readers. */
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

/** The local time of a moment, as `2031-03-04T08:14:00`. */
export function localTime(zone: string, moment: Date): string {
  return `${dayIn(zone, moment)}T${format('en-GB', { ...CLOCK, second: '2-digit', timeZone: zone }).format(moment)}`;
}

function dayOptions(day: Day, now: Date): Intl.DateTimeFormatOptions {
  const isThisYear = day.slice(0, 4) === String(now.getUTCFullYear());
  const shown = { weekday: 'short', day: 'numeric', month: 'long', timeZone: 'UTC' } as const;
  return isThisYear ? shown : { ...shown, year: 'numeric' };
}

function middayOf(day: Day): Date {
  return new Date(`${day}T12:00:00Z`);
}

/** Making a format costs more than everything else here. There are few: ten languages, and the zones of the world. */
const FORMATS = new Map<string, Intl.DateTimeFormat>();

function format(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options]);
  const known = FORMATS.get(key) ?? new Intl.DateTimeFormat(locale, options);
  FORMATS.set(key, known);
  return known;
}
