import type { Fault } from '@pts/core/errors';
import { likeliest, sendAs } from '@pts/core/sent-instead';

/** Unknown fields that a refusal names. */
const MAX_UNKNOWN = 5;
const MAX_SHOWN = 40;
const PLAIN = /^[\w.[\]-]{1,40}$/;

type Options = {
  /** What to send instead of a field that is not like a known one. Absent: such a field is ignored. */
  otherwise?: (name: string) => string;
  /** The known field that is meant. By default, the one with the likeliest name. */
  meantBy?: (name: string) => string | undefined;
};

/** The fields of an input that its request does not have, for requests where a misspelled field must not be ignored. */
export function unknownFields(given: object, known: object, { otherwise, meantBy }: Options): Fault[] {
  const names = Object.keys(known);
  const faults: Fault[] = [];
  for (const name of Object.keys(given)) {
    if (faults.length === MAX_UNKNOWN) break;
    if (Object.hasOwn(known, name)) continue;
    const meant = meantBy ? meantBy(name) : likeliest(name, names);
    const message = meant === undefined ? otherwise?.(name) : sendAs(meant);
    if (message !== undefined) faults.push({ field: shown(name), message, error: 'invalid_field' });
  }
  return faults;
}

/** A body can have thousands of fields, named with any text. */
export function shown(name: string): string {
  return PLAIN.test(name) ? name : JSON.stringify(name.slice(0, MAX_SHOWN));
}
