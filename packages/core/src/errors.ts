/**
 * Every error a client can receive (spec section 7 and the API family's numbers): its number, HTTP status and usual
 * text. Operations throw one by name; nothing else reaches a client.
 */
export const ERRORS = {
  bad_request: { number: 400, http: 400, text: 'The request is malformed.' },
  unauthorized: {
    number: 401,
    http: 401,
    text: 'Authentication failed. Send your API key in the X-API-Key header: tk_ followed by 48 lowercase hexadecimal characters.',
  },
  forbidden: {
    number: 403,
    http: 403,
    text: 'The API key may not do this: message names the scope that it lacks, or the network that it is limited to.',
  },
  not_found: { number: 404, http: 404, text: 'The route does not exist.' },
  method_not_allowed: { number: 405, http: 405, text: 'This path does not support this method.' },
  conflict: {
    number: 409,
    http: 409,
    text: 'The request conflicts with another one, or with the current state.',
  },
  payload_too_large: {
    number: 413,
    http: 413,
    text: 'The request body exceeds the size limit of this endpoint. Send less per request.',
  },
  unsupported_media_type: {
    number: 415,
    http: 415,
    text: 'The request body must be JSON. Send it with Content-Type: application/json.',
  },
  too_many_requests: {
    number: 429,
    http: 429,
    text: 'Too many requests to this endpoint. Wait 120 seconds (Retry-After), then send requests more slowly.',
  },
  internal: {
    number: 500,
    http: 500,
    text: 'Internal error. Try again; if it persists, contact support with the request id.',
  },
  unavailable: {
    number: 503,
    http: 503,
    text: 'The service cannot reach its database at the moment. Try again in a few seconds.',
  },
  not_registered: {
    number: 4102,
    http: 400,
    text: 'This tracking number is not registered under your account. Register it with POST /api/v1/trackings/create.',
  },
  batch_too_large: {
    number: 4103,
    http: 400,
    text: 'A call takes at most 40 tracking numbers. Divide them among several calls.',
  },
  invalid_number: {
    number: 4110,
    http: 400,
    text: 'The tracking number is invalid: it must have 5 to 50 letters and digits; spaces and hyphens are dropped.',
  },
  number_missing: { number: 4111, http: 400, text: 'The tracking number is missing: data.errors names its field.' },
  invalid_id: { number: 4112, http: 400, text: 'The id is invalid: it must have 24 lowercase hexadecimal characters.' },
  retrack_too_soon: { number: 4113, http: 400, text: 'This tracking was retracked less than 1 hour ago.' },
  unknown_courier: {
    number: 4120,
    http: 400,
    text: 'The courier_code is unknown. GET /api/v1/couriers/all lists the known ones; omit it to detect the carrier.',
  },
  carrier_undetected: {
    number: 4121,
    http: 400,
    text: 'No carrier could be detected for this tracking number. Check the number, or name the carrier in courier_code.',
  },
  field_needed: {
    number: 4122,
    http: 400,
    text: 'A required field is missing: data.errors names it. tracking_required_fields in GET /api/v1/couriers/all lists what each carrier needs.',
  },
  invalid_field: { number: 4130, http: 400, text: 'A field is invalid.' },
  quota_exhausted: {
    number: 4190,
    http: 400,
    text: 'The monthly quota is used up. It resets on the 1st of next month (UTC); a larger plan takes effect at once.',
  },
} as const satisfies Record<string, { number: number; http: number; text: string }>;

export type ErrorName = keyof typeof ERRORS;

/** One invalid field of a request, by its path in the body or its query parameter's name. */
export type FieldError = { field: string; message: string };

/**
 * An expected refusal of a request. Without `text`, the message is the text of the table or lists the invalid fields.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly error: ErrorName;
  readonly fields: FieldError[];
  readonly retryAfterSeconds: number | undefined;
  /** Further contents of the response's `data`. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    error: ErrorName,
    more: { text?: string; fields?: FieldError[]; retryAfterSeconds?: number; details?: ServiceError['details'] } = {},
  ) {
    super(more.text ?? textOf(error, more.fields ?? []));
    this.error = error;
    this.fields = more.fields ?? [];
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.details = more.details ?? {};
  }
}

/** Faults in one sentence: `limit must be a whole number; status must be …`. */
export function inWords(fields: readonly FieldError[]): string {
  return fields.map(({ field, message }) => `${field} ${message}`).join('; ');
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

function textOf(error: ErrorName, fields: readonly FieldError[]): string {
  if (!LISTS_FIELDS.has(error) || fields.length === 0) return ERRORS[error].text;
  return `${error === 'field_needed' ? 'Missing' : 'Invalid'}: ${inWords(fields)}.`;
}

/** The error for an id under which the account has no tracking. */
export function unknownTracking(): ServiceError {
  const text = 'No tracking with this id is registered under your account. GET /api/v1/shipments lists the ids.';
  return new ServiceError('not_found', { text });
}

/** A fault in one field, and the error that it is. */
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
