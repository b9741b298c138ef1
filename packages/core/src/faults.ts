import { ERRORS, type ErrorName, type FieldError, inWords, LISTS_FIELDS, ServiceError } from './errors.ts';

/** What is wrong with one field, and which error that is. */
export type Fault = FieldError & { error: ErrorName };

/** Several faults become one error: the first of this list, because it is the most specific. */
const BY_SPECIFICITY: readonly ErrorName[] = [
  'number_missing',
  'invalid_number',
  'invalid_id',
  'unknown_courier',
  'carrier_undetected',
  'field_needed',
  'invalid_field',
];

/** The error for an input with these faults: lists each field once. */
export function refusal(faults: readonly Fault[]): ServiceError {
  const byField = new Map<string, Fault>();
  for (const fault of faults) if (!byField.has(fault.field)) byField.set(fault.field, fault);
  const sorted = [...byField.values()].sort((a, b) => rank(a) - rank(b));
  const fields = sorted.map(({ field, message }) => ({ field, message }));
  const [first] = sorted;
  if (!first) return new ServiceError('invalid_field');
  if (LISTS_FIELDS.has(first.error)) return new ServiceError(first.error, { fields });
  const others = fields.slice(1);
  const text = ERRORS[first.error].text;
  return new ServiceError(first.error, {
    fields,
    text: others.length === 0 ? text : `${text} Also: ${inWords(others)}.`,
  });
}

/** The error for one invalid field. */
export function refusedField(field: string, message: string): ServiceError {
  return new ServiceError('invalid_field', { fields: [{ field, message }] });
}

/** The error for a change that names none of the fields that can be changed. */
export function nothingToChange(names: readonly string[]): ServiceError {
  const text = `Nothing to change: send ${names.slice(0, -1).join(', ')} or ${names.at(-1)}.`;
  const message = 'is missing; send at least one field to change';
  return new ServiceError('invalid_field', { fields: names.map((field) => ({ field, message })), text });
}

function rank({ error }: Fault): number {
  return BY_SPECIFICITY.indexOf(error);
}
