import { type Message, message } from './languages/message.ts';

/**
 * Every error a client can receive (spec section 7 and the API family's numbers): its number and HTTP status; its usual
 * text is the message `error.<name>`. Operations throw one by name; nothing else reaches a client.
 */
export const ERRORS = {
  bad_request: { number: 400, http: 400 },
  unauthorized: { number: 401, http: 401 },
  forbidden: { number: 403, http: 403 },
  not_found: { number: 404, http: 404 },
  method_not_allowed: { number: 405, http: 405 },
  conflict: { number: 409, http: 409 },
  payload_too_large: { number: 413, http: 413 },
  unsupported_media_type: { number: 415, http: 415 },
  too_many_requests: { number: 429, http: 429 },
  internal: { number: 500, http: 500 },
  unavailable: { number: 503, http: 503 },
  not_registered: { number: 4102, http: 400 },
  batch_too_large: { number: 4103, http: 400 },
  invalid_number: { number: 4110, http: 400 },
  number_missing: { number: 4111, http: 400 },
  invalid_id: { number: 4112, http: 400 },
  retrack_too_soon: { number: 4113, http: 400 },
  unknown_courier: { number: 4120, http: 400 },
  carrier_undetected: { number: 4121, http: 400 },
  field_needed: { number: 4122, http: 400 },
  invalid_field: { number: 4130, http: 400 },
  quota_exhausted: { number: 4190, http: 400 },
} as const satisfies Record<string, { number: number; http: number }>;

export type ErrorName = keyof typeof ERRORS;

/** One invalid field of a request, by its path in the body or its query parameter's name. */
export type FieldError = { field: string; message: Message };

/**
 * An expected refusal of a request. Without `text`, the message is the text of the table or lists the invalid fields.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly error: ErrorName;
  /** The message for the client; the one of `Error` is its English. */
  readonly text: Message;
  readonly fields: FieldError[];
  readonly retryAfterSeconds: number | undefined;
  /** Further contents of the response's `data`. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    error: ErrorName,
    more: { text?: Message; fields?: FieldError[]; retryAfterSeconds?: number; details?: ServiceError['details'] } = {},
  ) {
    const text = more.text ?? textOf(error, more.fields ?? []);
    super(text.toString());
    this.error = error;
    this.text = text;
    this.fields = more.fields ?? [];
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.details = more.details ?? {};
  }
}

/** Errors whose text lists the invalid fields. */
export const LISTS_FIELDS: ReadonlySet<ErrorName> = new Set([
  'number_missing',
  'invalid_number',
  'invalid_field',
  'invalid_id',
  'unknown_courier',
  'field_needed',
]);

function textOf(error: ErrorName, fields: readonly FieldError[]): Message {
  if (!LISTS_FIELDS.has(error) || fields.length === 0) return message(`error.${error}`);
  return message(error === 'field_needed' ? 'missing' : 'invalid', { faults: fields });
}

/** The error for an id under which the account has no tracking. */
export function unknownTracking(): ServiceError {
  return new ServiceError('not_found', { text: message('unknown_tracking') });
}

/** A fault in one field, and the error that it is. */
export type Fault = FieldError & { error: ErrorName };

/** The fault of an invalid field. */
export function invalidField(field: string, message: Message): Fault {
  return { field, message, error: 'invalid_field' };
}

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
  const text = message(`error.${first.error}`);
  return new ServiceError(first.error, {
    fields,
    text: others.length === 0 ? text : message('also', { text, faults: others }),
  });
}

/** The error for one invalid field. */
export function refusedField(field: string, message: Message): ServiceError {
  return new ServiceError('invalid_field', { fields: [{ field, message }] });
}

/** The error for a change that names none of the fields that can be changed. */
export function nothingToChange(names: readonly string[]): ServiceError {
  const text = message('nothing_to_change', { names: names.slice(0, -1), last: names.at(-1) ?? '' });
  const fields = names.map((field) => ({ field, message: message('field.missing_change') }));
  return new ServiceError('invalid_field', { fields, text });
}

function rank({ error }: Fault): number {
  return BY_SPECIFICITY.indexOf(error);
}
