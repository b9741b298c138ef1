import type { Fault } from '@pts/core/faults';
import { INSTANT_FORM, parseInstant } from '@pts/core/time';

/** What is wrong with `since` and `until` of a filter; empty values mean none. */
export function rangeFaults(filter: Record<string, unknown>): Fault[] {
  return ['since', 'until'].flatMap((field) => {
    const text = filter[field];
    const isWrong = typeof text === 'string' && text !== '' && parseInstant(text) === null;
    return isWrong ? [{ field, message: INSTANT_FORM, error: 'invalid_field' as const }] : [];
  });
}
