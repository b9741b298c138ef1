import { ApiError, type ErrorName, type FieldError } from '@pts/core/errors';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';

const ajv = new Ajv({
  allErrors: true,
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allowUnionTypes: true,
});

/** Fields whose absence or wrong form has a number of its own in the API family. */
const OWN_NUMBERS: Record<string, { missing: ErrorName; invalid: ErrorName }> = {
  tracking_number: { missing: 'number_missing', invalid: 'invalid_number' },
  tracking_numbers: { missing: 'number_missing', invalid: 'invalid_number' },
};

/**
 * Checks an input against its schema, once compiled.
 * @throws ApiError that lists every fault at once, each with its field.
 */
export function createValidator(schema: object): (input: unknown) => void {
  const validate = ajv.compile(schema);
  return (input) => {
    if (!validate(input)) throw toApiError(validate.errors ?? []);
  };
}

/** A check of our own answers, for tests. @throws an Error that says what does not fit. */
export function createResponseCheck(schema: object): (output: unknown) => void {
  const validate: ValidateFunction = ajv.compile(schema);
  return (output) => {
    if (!validate(output)) throw new Error(`the answer does not fit its schema: ${ajv.errorsText(validate.errors)}`);
  };
}

function toApiError(errors: readonly ErrorObject[]): ApiError {
  const faults = errors.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'if' && keyword !== 'propertyNames');
  const [first] = faults;
  if (!first) return new ApiError('invalid_field');
  if (first.keyword === 'type' && first.instancePath === '') {
    return new ApiError('bad_request', { text: 'The request body must be a JSON object.' });
  }
  const fields = faults.map(toFieldError);
  const own = OWN_NUMBERS[fieldOf(first)];
  if (!own)
    return new ApiError('invalid_field', {
      fields,
      text: `Invalid: ${fields.map((f) => `${f.field} ${f.message}`).join('; ')}.`,
    });
  return new ApiError(first.keyword === 'required' ? own.missing : own.invalid, { fields });
}

function toFieldError(error: ErrorObject): FieldError {
  return { field: fieldOf(error), message: messageOf(error) };
}

/** `metadata.colour`, `events.1`, or the name of a missing field. */
function fieldOf({ instancePath, keyword, params }: ErrorObject): string {
  const path = instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  if (keyword !== 'required') return path;
  return [path, (params as { missingProperty: string }).missingProperty].filter((part) => part !== '').join('.');
}

function messageOf({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is missing';
    case 'enum':
      return `must be one of ${(params as { allowedValues: unknown[] }).allowedValues.join(', ')}`;
    case 'pattern':
      return 'has characters or a form that is not allowed';
    default:
      return message ?? 'is invalid';
  }
}
