import type { Fault } from '@pts/core/faults';

/** Unknown fields that a refusal names. */
const MAX_UNKNOWN = 5;
const MAX_SHOWN = 40;
const PLAIN = /^[\w.-]{1,40}$/;

/** The fields of an input that its request does not have, for requests where a misspelled field must not be ignored. */
export function unknownFields(given: object, known: object, message: string): Fault[] {
  return Object.keys(given)
    .filter((name) => !Object.hasOwn(known, name))
    .slice(0, MAX_UNKNOWN)
    .map((name) => ({ field: shown(name), message, error: 'invalid_field' }));
}

/** A body can have thousands of fields, named with any text. */
function shown(name: string): string {
  return PLAIN.test(name) ? name : JSON.stringify(name.slice(0, MAX_SHOWN));
}
