import { isDeepStrictEqual } from 'node:util';
import { id, idOrEmpty, pageLimit, type warnings } from '@pts/contract/common';
import { statusCode } from '@pts/contract/deliveries';
import { namesIn, queryParameters } from '@pts/contract/openapi/document';
import type { OperationContract, RouteContract, StreamContract } from '@pts/contract/operation';
import { pageSettingsChange } from '@pts/contract/pages';
import type { Infer } from '@pts/contract/schema';
import { registrationInputs } from '@pts/contract/trackings';
import { type ErrorName, type Fault, invalidField, refusal, ServiceError } from '@pts/core/errors';
import { joined, type Message, type MessageCode, message } from '@pts/core/languages/message';
import { likeliest, misspeltDryRun, sendAs, sentInstead } from '@pts/core/sent-instead';
import { WHOLE_SECONDS } from '@pts/core/time';
import { freeText } from '@pts/core/tracking/fields';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';

/** Times in requests may be in any time zone: operations read them. */
const formats = { 'date-time': true } as const;
const OPTIONS = {
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allowUnionTypes: true,
  verbose: true,
  // Of `documentedWith`.
  keywords: ['documented'],
  formats,
  // The schemas are ours; a test checks them.
  validateSchema: false,
  meta: false,
};
/** Stops at the first fault; used for inputs of any size. */
const quick = new Ajv(OPTIONS);
/** Finds every fault. Never for inputs with long lists: a body of 1 MiB can hold half a million. */
const thorough = new Ajv({ ...OPTIONS, allErrors: true });
const responses = new Ajv({ ...OPTIONS, formats: { 'date-time': WHOLE_SECONDS } });
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
export const IN_COMMAS: ReadonlySet<string> = new Set(['tracking_numbers', 'order_ids', 'ids', 'include']);

/** NUL, and unpaired surrogates cannot be stored and returned unchanged. */
function isUnstorable(text: unknown): boolean {
  return typeof text === 'string' && (text.includes('\u0000') || !text.isWellFormed());
}

/**
 * Looks for faults beyond the schema, in an input that may have others. Gets an empty one in place of what is not an
 * object.
 */
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
      if (!fits) throw new ServiceError('bad_request', { text: message('body_not_object', { kind: kindOf(input) }) });
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
 * A check of our own responses, for tests, which compile only the schemas they need. @throws an Error that says what
 * does not match.
 */
export function createResponseCheck(schema: object): (output: unknown) => void {
  let validate: ValidateFunction | undefined;
  return (output) => {
    validate ??= responses.compile(schema);
    if (!validate(JSON.parse(JSON.stringify(output))))
      throw new Error(`the response does not match its schema: ${responses.errorsText(validate.errors)}`);
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
    return [{ field, message: message('field.unstorable'), error: ownNumbers(field)?.invalid ?? 'invalid_field' }];
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

/**
 * `metadata.colour`, `events.1`, or the name of a missing or an unknown field. In whole characters, which every JSON
 * parser reads.
 */
function fieldOf({ instancePath, keyword, params }: ErrorObject): string {
  const path = instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~').toWellFormed();
  const { missingProperty, additionalProperty } = params as { missingProperty?: string; additionalProperty?: string };
  const name = keyword === 'additionalProperties' ? shown(additionalProperty ?? '') : (missingProperty ?? '');
  return [path, name].filter((part) => part !== '').join('.');
}

/** Says what to send instead; repeats nothing of the input but the name of a field. */
function messageOf(fault: ErrorObject): Message {
  const { keyword, params, schema, parentSchema, propertyName } = fault;
  switch (keyword) {
    case 'required':
      return missing(fault);
    case 'type':
      // Seconds since 1970, perhaps.
      if (parentSchema?.format === 'date-time' && !Array.isArray(fault.data)) return message('field.instant');
      return message('field.type', {
        types: joined('or', [schema].flat().map(typeName)),
        how: howInstead(fault),
      });
    case 'additionalProperties':
      return unknownOf((params as { additionalProperty: string }).additionalProperty, parentSchema);
    case 'enum':
      return oneOf((params as { allowedValues: unknown[] }).allowedValues.map(String), fault.data);
    case 'pattern':
      return isNumberForId(fault) ? message('field.id_not_number') : formOf(String(schema), parentSchema);
    case 'maxLength':
      return message(propertyName === undefined ? 'field.max_length' : 'field.name_max_length', {
        max: Number(schema),
      });
    case 'maxItems':
    case 'maxProperties':
      return message('field.max_entries', { max: Number(schema) });
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return message(schema === 1 ? 'field.empty' : 'field.too_short');
    case 'minimum':
      return message('field.minimum', { min: Number(schema) });
    case 'maximum':
      return message('field.maximum', { max: Number(schema) });
    case 'uniqueItems':
      return message('field.unique');
    default:
      return message('field.invalid');
  }
}

/** The fields that there are in the place of an unknown one. */
function unknownOf(name: string, parentSchema: ErrorObject['parentSchema']): Message {
  const known = Object.keys((parentSchema as { properties?: object }).properties ?? {});
  const meant = likeliest(name, known);
  return meant === undefined ? message('field.unknown_there_are', { known }) : sendAs(meant);
}

/** The words that a value may be, and the one that was probably meant. */
function oneOf(words: readonly string[], given: unknown): Message {
  const meant = typeof given === 'string' ? likeliest(given, words) : undefined;
  return meant === undefined ? message('field.enum', { words }) : message('field.enum_meant', { words, meant });
}

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
function missing({ params, data, parentSchema }: ErrorObject): Message {
  const { missingProperty } = params as { missingProperty: string };
  const known = Object.keys((parentSchema as { properties?: object } | undefined)?.properties ?? {});
  const sent = sentInstead(missingProperty, data as object, known);
  if (sent !== undefined) return message('field.missing_not_as', { sent });
  const { [missingProperty]: wanted } = (parentSchema as { properties?: Record<string, Example> }).properties ?? {};
  // Which words a list takes cannot be guessed.
  return wanted?.type === 'array' && wanted.examples
    ? message('field.missing_array', { example: exampleOf(wanted) })
    : message('field.missing');
}

/** How to send what was probably meant by a value of another type. */
function howInstead(fault: ErrorObject): Message | '' {
  const { data, schema, parentSchema } = fault;
  const wanted = [schema].flat();
  if (wanted.includes('string')) return howAsText(fault);
  if (wanted.includes('boolean')) return message('how.boolean');
  if (wanted.includes('integer')) return typeof data === 'string' ? message('how.integer') : '';
  return message('how.example', { example: exampleOf(parentSchema as Example) });
}

function howAsText(fault: ErrorObject): Message | '' {
  const field = fieldOf(fault);
  if (Array.isArray(fault.data)) return message(IN_COMMAS.has(field) ? 'how.in_commas' : 'how.one');
  if (typeof fault.data !== 'number' && typeof fault.data !== 'boolean') return '';
  const isNumber = ownNumbers(field)?.invalid === 'invalid_number';
  return message(isNumber ? 'how.number_in_quotes' : 'how.in_quotes');
}

type Example = { type?: unknown; examples?: readonly unknown[]; items?: { type?: unknown } };

/** A list or an object, in JSON. */
function exampleOf({ type, examples = [], items }: Example): string {
  const [example] = examples;
  if (example !== undefined) return JSON.stringify(example);
  if (![type].flat().includes('array')) return '{...}';
  return items?.type === 'string' ? '["...", "..."]' : '[{...}]';
}

function kindOf(value: unknown): Message {
  return Array.isArray(value) ? message('type.list') : typeName(value === null ? 'null' : typeof value);
}

/** A type of JSON Schema, or of `typeof`. */
function typeName(type: unknown): Message {
  return message(`type.${type}` as MessageCode & `type.${string}`);
}

/** The messages for patterns. */
const FORMS: Record<string, Message> = {
  [freeText(0).pattern]: message('field.control'),
  [id.pattern]: message('field.id'),
  [idOrEmpty.pattern]: message('field.id'),
  [registrationInputs.phone.pattern]: message('field.phone'),
  [registrationInputs.destination_country.pattern]: message('field.country'),
  [pageLimit.pattern]: message('field.page_limit'),
  [registrationInputs.metadata.propertyNames.pattern]: message('field.metadata_name'),
  [pageSettingsChange.properties.logo.pattern]: message('field.base64'),
  [statusCode.pattern]: message('field.status_code'),
};

/** Says what a value that does not match a pattern must be like. */
function formOf(pattern: string, parentSchema: ErrorObject['parentSchema']): Message {
  const known = FORMS[pattern];
  if (known !== undefined) return known;
  const [example] = (parentSchema as { examples?: readonly unknown[] } | undefined)?.examples ?? [];
  return example === undefined ? message('field.characters') : message('field.format', { example: String(example) });
}

/** Unknown fields that a refusal names. */
const MAX_UNKNOWN = 5;
const MAX_SHOWN = 40;
const PLAIN = /^[\w.[\]-]{1,40}$/;

type Options = {
  /** Says what to send instead of a field that is not like a known one. Absent: such a field is ignored. */
  otherwise?: (name: string) => Message;
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
    const fault = meant === undefined ? otherwise?.(name) : sendAs(meant);
    if (fault !== undefined) faults.push(invalidField(shown(name), fault));
  }
  return faults;
}

/** A body can have thousands of fields, named with any text. */
function shown(name: string): string {
  return PLAIN.test(name) ? name : JSON.stringify(name.slice(0, MAX_SHOWN));
}

type Properties = Readonly<Record<string, object>>;
type Given = Readonly<Record<string, unknown>>;

/** The fields of a body that a strict operation does not have, with what to send instead; others ignore them. */
export function unknownInBody({ strict, method, path, request, response }: RouteContract): (given: Given) => Fault[] {
  if (!strict) return () => [];
  const fields = propertiesOf(request);
  const inPath = namesIn(path);
  const names = Object.keys(fields).filter((name) => !inPath.includes(name));
  // A changed record may be sent back as it was read.
  const known = { ...(method === 'patch' ? propertiesOf(response) : {}), ...fields };
  if (strict === 'misspelt')
    return (given) => unknownFields(given, known, { meantBy: (sent) => likeliest(sent, names) });
  return (given) => [
    ...unknownAmong(given, known, names),
    ...Object.entries(fields).flatMap(([field, schema]) => unknownWithin(given[field], field, schema)),
  ];
}

type Warning = Omit<Infer<typeof warnings>[number], 'message'> & { message: Message };

/** Entries of `warnings` in an answer: a bulk call can have thousands of unknown fields. */
const MAX_WARNINGS = 100;

type LookOptions = {
  /** The index of the number, in a bulk call. */
  index?: number;
  /** The fields of each number, beside which the object stands. */
  ofItems?: readonly string[];
  /** Whether the answer shows the same. */
  isShown?(name: string, value: unknown): boolean;
};

/** Collects the unknown fields of a request that ignores them. */
export function createWarnings() {
  const all: Warning[] = [];
  const insteadOf = (name: string, known: readonly string[], ofItems: readonly string[]) => {
    const meant = likeliest(name, known);
    if (meant !== undefined) return message('field.ignored_send_as', { meant });
    const ofItem = ofItems.includes(name) ? name : likeliest(name, ofItems);
    return ofItem === undefined ? message('field.ignored') : message('field.ignored_of_items', { meant: ofItem });
  };
  return {
    /** Looks at one object. A field without a value was left out. */
    lookAt(
      given: unknown,
      known: readonly string[],
      { index, ofItems = [], isShown = () => false }: LookOptions = {},
    ): void {
      if (!isObject(given)) return;
      for (const [name, value] of Object.entries(given)) {
        if (all.length >= MAX_WARNINGS) return;
        if (known.includes(name) || value === null || value === '' || isShown(name, value)) continue;
        const fault = insteadOf(name, known, ofItems);
        all.push({ ...(index !== undefined && { index }), field: shown(name), message: fault });
      }
    },
    /** The addition to the answer: nothing if every field is known. */
    found: (): { warnings?: Warning[] } => (all.length === 0 ? {} : { warnings: all }),
  };
}

/** The unknown fields of a body, for operations whose answer has `warnings`. */
export function warningsOf({
  method,
  input,
  request,
  response,
  strict,
}: RouteContract): (given: unknown, answer: object) => object {
  const known = Object.keys(propertiesOf(request));
  const isWarning = input === 'body' && !strict && known.length > 0 && 'warnings' in propertiesOf(response);
  if (!isWarning) return () => ({});
  return (given, answer) => {
    // A changed record may be sent back with what it shows.
    const isShown = (name: string, value: unknown) =>
      method === 'patch' && isDeepStrictEqual((answer as Given)[name], value);
    const warnings = createWarnings();
    warnings.lookAt(given, known, { isShown });
    return warnings.found();
  };
}

/** The unknown fields in a field that is itself an object with fields, such as a filter. */
function unknownWithin(value: unknown, field: string, schema: object): Fault[] {
  const known = propertiesOf(schema);
  const names = Object.keys(known);
  if (names.length === 0 || !isObject(value)) return [];
  return unknownAmong(value, known, names).map((fault) => ({ ...fault, field: `${field}.${fault.field}` }));
}

function unknownAmong(given: object, known: Properties, names: readonly string[]): Fault[] {
  const otherwise = () => message('field.unknown_in_request', { known: names });
  return unknownFields(given, known, { otherwise, meantBy: (sent) => likeliest(sent, names) });
}

function propertiesOf(schema: object): Properties {
  return 'properties' in schema ? (schema.properties as Properties) : {};
}

/**
 * Parameters that change no operation's answer: `lang` where there are no texts, and what clients and proxies add so
 * that no cache answers, such as `_=1763688852`.
 */
const HARMLESS = /^(?:lang$|_)/;

/**
 * The parameters of a query that an operation does not have, with what to send instead. A filter that is ignored would
 * give wrong data, and an ignored `dry_run` would be charged. The API family of /v4 ignores them.
 */
export function unknownParameters(entry: RouteContract | StreamContract): (query: object) => Fault[] {
  if (!isDocumented(entry)) return () => [];
  const { properties, required = [], if: alternative, else: usual } = queryParameters(entry);
  const names = Object.keys(properties);
  const inBody = entry.input === 'body' && 'properties' in entry.request ? (entry.request.properties as object) : {};
  const inPath = namesIn(entry.path);
  const meantBy = (sent: string) => likeliest(sent, names);
  const otherwise = (sent: string): Message => {
    if (inPath.includes(sent)) return message('field.unknown_in_path');
    if (Object.hasOwn(inBody, sent)) return message('field.unknown_in_body');
    if (names.length === 0) return message('field.unknown_no_parameters');
    return message('field.unknown_parameters', { known: names });
  };
  return (query) => {
    // The message about a missing parameter names the one that was sent in its place.
    const isOther = alternative?.required?.every((name) => Object.hasOwn(query, name)) ?? true;
    const wanted = isOther ? required : [...required, ...(usual?.required ?? [])];
    const missing = wanted.filter((name) => !Object.hasOwn(query, name));
    const isReported = (sent: string) => missing.some((name) => sentInstead(name, { [sent]: null }) !== undefined);
    const given = Object.entries(query).filter(([name]) => !HARMLESS.test(name) && !isReported(name));
    return unknownFields(Object.fromEntries(given), properties, { otherwise, meantBy });
  };
}

/** Whether an operation is in the reference: those of /v4 are the API family's. */
function isDocumented(entry: RouteContract | StreamContract): entry is OperationContract | StreamContract {
  return 'doc' in entry;
}
