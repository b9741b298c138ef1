/** RFC 3339, as generated clients send it: any time zone, up to nanoseconds. */
const INSTANT = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(\.\d{1,9})?(?:Z|([+-])(\d{2}):(\d{2}))$/;

/** What a text that is no instant must be instead. */
export const INSTANT_FORM = 'must be a time with a time zone (RFC 3339), such as 2026-03-01T16:00:00Z';

/** The instant of a text. @returns null if the date does not exist: `Date` alone would parse 30 February as 2 March. */
export function parseInstant(text: string): Date | null {
  const [, local, fraction = '', sign, hours = '0', minutes = '0'] = INSTANT.exec(text) ?? [];
  if (local === undefined || Number(hours) > 23 || Number(minutes) > 59) return null;
  const date = new Date(`${local}${fraction.slice(0, 4)}Z`);
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 19) !== local) return null;
  const ahead = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  return new Date(date.getTime() - ahead * 60_000);
}
