import { type Estimate, isDay } from '../behaviour/dates.ts';
import { useStore } from '../session/store.ts';
import { spoken } from './language.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Older than this, a time is shown as its date. */
const RELATIVE_FOR_SECONDS = 30 * DAY;

const MB = 1_000_000;

const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
  ['second', 1],
];

export type Format = ReturnType<typeof formatIn>;

/** Numbers and times as a language writes them, in the time zone of the reader. */
export function formatIn(tag: string) {
  const whole = new Intl.NumberFormat(tag);
  const short = new Intl.NumberFormat(tag, { maximumFractionDigits: 1 });
  const percent = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 1 });
  const units = (['day', 'hour', 'minute', 'second'] as const).map(
    (unit) => new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'short' }),
  );
  const relative = new Intl.RelativeTimeFormat(tag, { numeric: 'auto', style: 'short' });
  const dateTime = new Intl.DateTimeFormat(tag, {
    dateStyle: 'medium',
    timeStyle: 'medium',
    hourCycle: 'h23',
  });
  const withZone = new Intl.DateTimeFormat(tag, {
    ...{ year: 'numeric', month: 'short', day: 'numeric', weekday: 'short' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23', timeZoneName: 'short' },
  });
  const day = new Intl.DateTimeFormat(tag, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
  const time = new Intl.DateTimeFormat(tag, { timeStyle: 'short', hourCycle: 'h23' });
  const dayAndTime = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
  const dayOfYear = { weekday: 'short', day: 'numeric', month: 'short' } as const;
  const nearDay = new Intl.DateTimeFormat(tag, dayOfYear);
  const civilDay = new Intl.DateTimeFormat(tag, { ...dayOfYear, timeZone: 'UTC' });
  const civilDays = new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const nearDays = new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'short' });
  const clock = new Intl.DateTimeFormat(tag, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const atHour = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' } as const;
  const utcClock = new Intl.DateTimeFormat(tag, atHour);
  const utcDayAndClock = new Intl.DateTimeFormat(tag, { weekday: 'short', ...atHour });
  const utc = new Intl.DateTimeFormat(tag, {
    ...{ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    ...{ timeZone: 'UTC', timeZoneName: 'short' },
  });
  const brief = (at: Date, now: number) =>
    day.format(at) === day.format(now) ? time.format(at) : dayAndTime.format(at);
  return {
    number: (value: number) => whole.format(value),
    /** A number with at most one decimal. */
    decimal: (value: number) => short.format(value),
    /** A share from 0 to 1: `99.5 %`. */
    percent: (share: number) => percent.format(share),
    /** `48 kB`, `12.3 MB`. */
    bytes: (value: number) =>
      value < MB ? `${whole.format(Math.ceil(value / 1000))}\u00a0kB` : `${short.format(value / MB)}\u00a0MB`,
    /** `3 min. ago`; from 30 days on, the date. */
    relative(at: Date, now: number): string {
      const seconds = Math.round((at.getTime() - now) / 1000);
      if (Math.abs(seconds) >= RELATIVE_FOR_SECONDS) return day.format(at);
      // Within a few seconds, clocks disagree about what is past.
      if (Math.abs(seconds) < 5) return relative.format(0, 'second');
      const [unit, size] = UNITS.find(([, unitSeconds]) => Math.abs(seconds) >= unitSeconds) ?? ['second', 1];
      return relative.format(Math.trunc(seconds / size), unit);
    },
    /** How long something has lasted, in its largest whole unit: `2 hr`. */
    lasting(ms: number): string {
      const seconds = Math.max(1, Math.floor(ms / 1000));
      const at = UNITS.findIndex(([, size]) => seconds >= size);
      return (units[at]?.format(Math.floor(seconds / (UNITS[at]?.[1] ?? 1))) ?? '').replace(' ', '\u00a0');
    },
    /** How long until then: `4:10`, `2:04:10`. */
    countdown(ms: number): string {
      const seconds = Math.max(0, Math.round(ms / 1000));
      const [hours, minutes] = [Math.floor(seconds / HOUR), Math.floor((seconds % HOUR) / MINUTE)];
      const parts = hours > 0 ? [hours, twoDigits(minutes)] : [minutes];
      return [...parts, twoDigits(seconds % MINUTE)].join(':');
    },
    dateTime: (at: Date) => dateTime.format(at),
    /** The time of a moment of today; of any other day, its date, too. */
    brief,
    /** A moment with its weekday, seconds and zone. */
    full: (at: Date) => withZone.format(at),
    day: (at: Date) => day.format(at),
    /** A day of this year or the next: without the year. */
    nearDay: (at: Date) => nearDay.format(at),
    /** From when to when a parcel is expected: days, or times. */
    expected({ from, to }: Estimate, now: number): string {
      const dayOf = (text: string) => (isDay(text) ? civilDay.format(new Date(text)) : brief(new Date(text), now));
      return from === to ? dayOf(from) : `${dayOf(from)} – ${dayOf(to)}`;
    },
    /** The day and month of a date or an instant. */
    date: (text: string) => (isDay(text) ? civilDays : nearDays).format(new Date(text)),
    /**
     * From when to when a parcel is expected, for a column: days, but times for what is expected within a few hours of
     * today.
     */
    expectedShort({ from, to }: Estimate, now: number): string {
      const [first, last] = [new Date(from), new Date(to)];
      const [one, several] = isDay(from) ? [civilDay, civilDays] : [nearDay, nearDays];
      if (one.format(first) !== one.format(last)) return several.formatRange(first, last);
      const isToday = !isDay(from) && day.format(first) === day.format(now);
      return isToday ? clock.formatRange(first, last) : one.format(first);
    },
    clock: (at: Date) => clock.format(at),
    /** A time with its offset, by the clocks there; null where they show what those of the reader show. */
    there(localTime: string): { time: string; zone: string } | null {
      const at = new Date(localTime);
      const offset = localTime.slice(-6);
      if (minutesOf(offset) === -at.getTimezoneOffset()) return null;
      const local = new Date(`${localTime.slice(0, -6)}Z`);
      const isSameDay =
        local.toISOString().slice(0, 10) ===
        new Date(at.getTime() - at.getTimezoneOffset() * MINUTE * 1000).toISOString().slice(0, 10);
      return { time: (isSameDay ? utcClock : utcDayAndClock).format(local), zone: `UTC${offset.replace('-', '−')}` };
    },
    /** A moment with its zone, which is UTC. */
    utc: (at: Date) => utc.format(at),
    /** `1.2 s`, `38 ms`. */
    duration: (ms: number) =>
      ms < 1000 ? `${whole.format(Math.round(ms))}\u00a0ms` : `${(ms / 1000).toFixed(1)}\u00a0s`,
  };
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

/** `-05:30` in minutes. */
function minutesOf(offset: string): number {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

const formats = new Map<string, Format>();

/** The formats of the chosen language. */
export function useFormat(): Format {
  const { tag } = useStore(spoken);
  const format = formats.get(tag) ?? formatIn(tag);
  formats.set(tag, format);
  return format;
}
