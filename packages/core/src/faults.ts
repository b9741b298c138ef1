import { ERRORS, type ErrorName, type FieldError, inWords, ServiceError } from './errors.ts';

/** What is wrong with one field, and which error that is. */
export type Fault = FieldError & { error: ErrorName };

/** Of several faults the first of these names the refusal: it says most of what to do. */
const TELLING_MOST: readonly ErrorName[] = [
  ...(['number_missing', 'invalid_number', 'invalid_id', 'unknown_courier', 'carrier_undetected'] as const),
  ...(['field_needed', 'invalid_field'] as const),
];

/** The answer to an input with these faults: each field once, and the error that says most. */
export function refusal(faults: readonly Fault[]): ServiceError {
  const byField = new Map<string, Fault>();
  for (const fault of faults) if (!byField.has(fault.field)) byField.set(fault.field, fault);
  const told = [...byField.values()].sort((a, b) => rank(a) - rank(b));
  const fields = told.map(({ field, message }) => ({ field, message }));
  const [first] = told;
  if (!first) return new ServiceError('invalid_field');
  // These say all of it by themselves.
  if (rank(first) >= TELLING_MOST.indexOf('field_needed') || first.error === 'invalid_id')
    return new ServiceError(first.error, { fields });
  const others = fields.slice(1);
  const text = ERRORS[first.error].text;
  return new ServiceError(first.error, {
    fields,
    text: others.length === 0 ? text : `${text} Also: ${inWords(others)}.`,
  });
}

/** The refusal of one invalid field. */
export function refusedField(field: string, message: string): ServiceError {
  return new ServiceError('invalid_field', { fields: [{ field, message }] });
}

/** The answer to a change that names none of the fields that can be changed. */
export function nothingToChange(names: readonly string[]): ServiceError {
  const text = `Nothing to change: send ${names.slice(0, -1).join(', ')} or ${names.at(-1)}.`;
  const message = 'is missing, as is everything else that can be changed';
  return new ServiceError('invalid_field', { fields: names.map((field) => ({ field, message })), text });
}

function rank({ error }: Fault): number {
  return TELLING_MOST.indexOf(error);
}
