import type { Fault } from './faults.ts';
import { INSTANT_FORM, parseInstant } from './time.ts';

/** What is wrong with the two fields of a filter that begin and end a range of time; an empty value means no bound. */
export function rangeFaults(filter: Record<string, unknown>, from: string, until: string): Fault[] {
  const [begin, end] = [boundOf(filter[from]), boundOf(filter[until])];
  return [
    ...fault(from, INSTANT_FORM, begin === null),
    ...fault(until, INSTANT_FORM, end === null),
    ...fault(from, `must not be after ${until}`, Boolean(begin && end && begin > end)),
  ];
}

/** Undefined: no bound; null: not a time. */
function boundOf(text: unknown): Date | null | undefined {
  return typeof text === 'string' && text !== '' ? parseInstant(text) : undefined;
}

function fault(field: string, message: string, isWrong: boolean): Fault[] {
  return isWrong ? [{ field, message, error: 'invalid_field' }] : [];
}
