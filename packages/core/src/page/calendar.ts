/** A day at some place, as `2031-03-04`. */
export type Day = string;

const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** The day at a moment in an IANA zone. */
export function dayIn(zone: string, moment: Date): Day {
  const format =
    FORMATS.get(zone) ??
    new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
  FORMATS.set(zone, format);
  return format.format(moment);
}
