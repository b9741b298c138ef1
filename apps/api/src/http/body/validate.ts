import { id, idOrEmpty } from '@pts/contract/common';
import type { Infer } from '@pts/contract/infer';
import { type ErrorName, type Fault, refusal, ServiceError } from '@pts/core/errors';
import { likeliest, misspeltDryRun, sentInstead } from '@pts/core/sent-instead';
import { INSTANT_FORM } from '@pts/core/time';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { formOf } from './forms.ts';

/** Times also have a pattern, which checks them. */
const formats = { 'date-time': true } as const;
const OPTIONS = {
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allowUnionTypes: true,
  verbose: true,
  formats,
  // The schemas are ours; a test checks them.
  validateSchema: false,
  meta: false,
};
/** Stops at the first fault; used for inputs of any size. */
const quick = new Ajv(OPTIONS);
/** Finds every fault. Never for inputs with long lists: a body of 1 MiB can hold half a million. */
const thorough = new Ajv({ ...OPTIONS, allErrors: true });
const LONG_LIST = 100;
/** A tracking number as printed. Ids have lowercase letters. */
const LOOKS_LIKE_NUMBER = /^[A-Z0-9 -]{5,50}$/;

/** Fields with their own error numbers in the API family, for a missing and an invalid value. */
const OWN_NUMBERS: Record<string, { missing: ErrorName; invalid: ErrorName }> = {
  tracking_number: { missing: 'number_missing', invalid: 'invalid_number' },
  tracking_numbers: { missing: 'number_missing', invalid: 'invalid_number' },
  id: { missing: 'invalid_id', invalid: 'invalid_id' },
  replay_id: { missing: 'invalid_id', invalid: 'invalid_id' },
};

/** Parameters that hold several entries. */
export const IN_COMMAS: ReadonlySet<string> = new Set(['tracking_numbers', 'ids']);

/** NUL, and unpaired surrogates cannot be stored and returned unchanged. */
function isUnstorable(text: unknown): boolean {
  return typeof text === 'string' && (text.includes('\u0000') || !text.isWellFormed());
}

/** Looks for faults beyond the schema, in an input that may have others. Gets an empty one in place of what is not an object. */
export type FurtherFaults = (input: Record<string, unknown>) => Fault[];

/**
 * Checks an input against its compiled schema and for further faults.
 * @param nameOf the client's name of a field, if it differs from ours.
 * @returns a function that returns a valid input, typed by the schema.
 * @throws ServiceError that lists every fault at once, each with its field.
 */
export function createValidator<const S extends object>(
  schema: S,
  nameOf: (field: string) => string = (field) => field,
): (input: unknown, further?: FurtherFaults) => Infer<S> {
  const decide = quick.compile(schema);
  let explain: ValidateFunction | undefined;
  /** Compiled on its first use: most schemas never see a fault. */
  const allErrors = (input: object) => {
    explain ??= thorough.compile(schema);
    explain(input);
    return explain.errors;
  };
  const { properties = {} } = schema as { properties?: object };
  const known = Object.keys(properties);
  const dryRunIn = known.includes('dry_run') ? misspeltDryRun : () => [];
  return (input, further = () => []) => {
    const fits = decide(input);
    if (!isObject(input)) {
      if (!fits)
        throw new ServiceError('bad_request', {
          text: `The request body must be a JSON object, not ${kindOf(input)}.`,
        });
      const faults = further({});
      if (faults.length > 0) throw refusal(faults);
      return input as Infer<S>;
    }
    const first = decide.errors ?? [];
    // A valid input is bounded by its schema. Of one of any size, the first fault is enough.
    const isBounded = fits || isSmall(input);
    const errors = !fits && isBounded ? (allErrors(input) ?? first) : first;
    const texts = isBounded ? unstorable(input, known) : [];
    const faults = [...errors.filter(isTelling).map(toFault), ...dryRunIn(input), ...texts, ...further(input)];
    const named = faults.length === 0 ? errors.map(toFault) : faults;
    if (!fits || faults.length > 0) throw refusal(named.map((fault) => ({ ...fault, field: nameOf(fault.field) })));
    return input as Infer<S>;
  };
}

/**
 * A check of our own responses, for tests, which compile only the schemas they need. @throws an Error that says what does not
 * match.
 */
export function createResponseCheck(schema: object): (output: unknown) => void {
  let validate: ValidateFunction | undefined;
  return (output) => {
    validate ??= quick.compile(schema);
    if (!validate(output))
      throw new Error(`the response does not match its schema: ${quick.errorsText(validate.errors)}`);
  };
}

export function isObject(input: unknown): input is Record<string, unknown> {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

function isSmall(input: object): boolean {
  return Object.values(input).every(
    (value) => typeof value !== 'object' || value === null || Object.keys(value).length <= LONG_LIST,
  );
}

/** Known fields, and their entries, with text that the database cannot store. */
function unstorable(input: Record<string, unknown>, known: readonly string[]): Fault[] {
  return known.flatMap((field) => {
    const value = Object.hasOwn(input, field) ? input[field] : undefined;
    const isBad = isObject(value)
      ? Object.entries(value).some((entry) => entry.some(isUnstorable))
      : isUnstorable(value);
    if (!isBad) return [];
    const message = 'must not contain NUL characters or unpaired surrogates';
    return [{ field, message, error: ownNumbers(field)?.invalid ?? 'invalid_field' }];
  });
}

/** Excludes the keywords that only summarize other errors. */
function isTelling({ keyword }: ErrorObject): boolean {
  return keyword !== 'anyOf' && keyword !== 'if' && keyword !== 'propertyNames';
}

function ownNumbers(field: string): { missing: ErrorName; invalid: ErrorName } | undefined {
  return Object.hasOwn(OWN_NUMBERS, field) ? OWN_NUMBERS[field] : undefined;
}

function toFault(fault: ErrorObject): Fault {
  const field = fieldOf(fault);
  const own = ownNumbers(field);
  const error = own === undefined ? 'invalid_field' : fault.keyword === 'required' ? own.missing : own.invalid;
  return { field, message: messageOf(fault), error };
}

/** `metadata.colour`, `events.1`, or the name of a missing field. In whole characters, which every JSON parser reads. */
function fieldOf({ instancePath, keyword, params }: ErrorObject): string {
  const path = instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~').toWellFormed();
  if (keyword !== 'required') return path;
  return [path, (params as { missingProperty: string }).missingProperty].filter((part) => part !== '').join('.');
}

/** What to send instead; repeats nothing of the input but the name of a field. */
function messageOf(fault: ErrorObject): string {
  const { keyword, params, schema, parentSchema, propertyName, message } = fault;
  const name = propertyName === undefined ? '' : 'has a name that ';
  switch (keyword) {
    case 'required':
      return missing(fault);
    case 'type':
      // Seconds since 1970, perhaps.
      if (parentSchema?.format === 'date-time' && !Array.isArray(fault.data)) return INSTANT_FORM;
      return `must be ${[schema].flat().map(withArticle).join(' or ')}${howInstead(fault)}`;
    case 'enum':
      return oneOf((params as { allowedValues: unknown[] }).allowedValues.map(String), fault.data);
    case 'pattern':
      return `${name}${formOf(String(schema), parentSchema)}${isNumberForId(fault) ? NUMBER_FOR_ID : ''}`;
    case 'maxLength':
      return `${name}must have at most ${schema} characters`;
    case 'maxItems':
    case 'maxProperties':
      return `must have at most ${schema} entries`;
    case 'minLength':
    case 'minItems':
      return schema === 1 ? 'must not be empty' : (message ?? 'is too short');
    default:
      return message ?? 'is invalid';
  }
}

/** The words that a value may be, and the one that was probably meant. */
function oneOf(words: readonly string[], given: unknown): string {
  const meant = typeof given === 'string' ? likeliest(given, words) : undefined;
  return `must be one of ${words.join(', ')}${meant === undefined ? '' : `; did you mean ${meant}`}`;
}

const NUMBER_FOR_ID =
  '. This looks like a tracking number: GET /api/v1/shipments?q= with the number returns the id of the tracking';

/** Whether a tracking number was sent where an id belongs. */
function isNumberForId({ schema, data }: ErrorObject): boolean {
  return (
    (schema === id.pattern || schema === idOrEmpty.pattern) &&
    typeof data === 'string' &&
    LOOKS_LIKE_NUMBER.test(data) &&
    /\d/.test(data)
  );
}

/** Names the field that was sent in its place, if there is one. */
function missing({ params, data, parentSchema }: ErrorObject): string {
  const { missingProperty } = params as { missingProperty: string };
  const known = Object.keys((parentSchema as { properties?: object } | undefined)?.properties ?? {});
  const sent = sentInstead(missingProperty, data as object, known);
  if (sent !== undefined) return `is missing: send it under this name, not as ${sent}`;
  const { [missingProperty]: wanted } = (parentSchema as { properties?: Record<string, Example> }).properties ?? {};
  // Which words a list takes cannot be guessed.
  return wanted?.type === 'array' && wanted.examples
    ? `is missing: send an array, such as ${exampleOf(wanted)}`
    : 'is missing';
}

/** How to send what was probably meant by a value of another type. */
function howInstead(fault: ErrorObject): string {
  const { data, schema, parentSchema } = fault;
  const wanted = [schema].flat();
  if (wanted.includes('string')) return howAsText(fault);
  if (wanted.includes('boolean')) return ': true or false, without quotes';
  if (wanted.includes('integer')) return typeof data === 'string' ? ': send it without quotes' : '';
  return `, such as ${exampleOf(parentSchema as Example)}`;
}

function howAsText(fault: ErrorObject): string {
  const field = fieldOf(fault);
  if (Array.isArray(fault.data))
    return IN_COMMAS.has(field) ? ', once, with commas between the entries' : ': send one, not several';
  if (typeof fault.data !== 'number' && typeof fault.data !== 'boolean') return '';
  return ownNumbers(field)?.invalid === 'invalid_number'
    ? ', in quotes: a JSON number loses leading zeros and the last digits of long numbers'
    : ': put it in quotes';
}

type Example = { type?: unknown; examples?: readonly unknown[]; items?: { type?: unknown } };

/** A list or an object, in JSON. */
function exampleOf({ type, examples = [], items }: Example): string {
  const [example] = examples;
  if (example !== undefined) return JSON.stringify(example);
  if (![type].flat().includes('array')) return '{...}';
  return items?.type === 'string' ? '["...", "..."]' : '[{...}]';
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : withArticle(value === null ? 'null' : typeof value);
}

function withArticle(type: unknown): string {
  if (type === 'null') return 'null';
  return `${/^[aio]/.test(String(type)) ? 'an' : 'a'} ${type}`;
}
