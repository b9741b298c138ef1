/** Every error number of the service (spec section 7 and the API family's), by name. */
export const ERROR_CODES = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  internal: 500,
  unavailable: 503,
  not_registered: 4102,
  batch_too_large: 4103,
  invalid_number: 4110,
  number_missing: 4111,
  invalid_id: 4112,
  retrack_too_soon: 4113,
  unknown_courier: 4120,
  carrier_undetected: 4121,
  field_needed: 4122,
  invalid_field: 4130,
  quota_exhausted: 4190,
} as const;

export type ErrorName = keyof typeof ERROR_CODES;
export type ErrorCode = (typeof ERROR_CODES)[ErrorName];

/** One invalid field of a request, by its path in the body or its query parameter's name. */
export type FieldError = { field: string; message: string };

type ApiErrorDetails = {
  code: number;
  status: number;
  message: string;
  fields?: readonly FieldError[];
  requestId?: string | null;
  retryAfterSeconds?: number | null;
  nextCursor?: string | null;
  eventsRemoved?: boolean;
  docsUrl?: string | null;
};

/** The service understood the request and refused it (spec section 7). */
export class TrackingApiError extends Error {
  override readonly name = 'TrackingApiError';
  /** The error number. A newer service may return one that is not in ERROR_CODES. */
  readonly code: ErrorCode | (number & Record<never, never>);
  /** The HTTP status. */
  readonly status: number;
  /** The invalid fields, if any. */
  readonly fields: readonly FieldError[];
  /** X-Request-Id: quote it in support requests. */
  readonly requestId: string | null;
  /** How long to wait before the next try, as the service requests. */
  readonly retryAfterSeconds: number | null;
  /** The cursor to continue after when one of the event feed was refused. */
  readonly nextCursor: string | null;
  /** Whether, when a cursor was refused, events before `nextCursor` were removed that you may have missed. */
  readonly eventsRemoved: boolean;
  /** The page about this error: its cause, what to do, and an example. */
  readonly docsUrl: string | null;

  constructor(details: ApiErrorDetails) {
    super(details.message);
    this.code = details.code;
    this.status = details.status;
    this.fields = details.fields ?? [];
    this.requestId = details.requestId ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
    this.nextCursor = details.nextCursor ?? null;
    this.eventsRemoved = details.eventsRemoved ?? false;
    this.docsUrl = details.docsUrl ?? null;
  }
}

/**
 * Why there is no answer: `not_sent` no connection was made, `network` it was lost, `timeout` none in time,
 * `not_the_api` a response that is not from the service (a proxy's page, a redirect), `cut_off` a stream that ended
 * before its summary.
 */
export type NoAnswerReason = 'not_sent' | 'network' | 'timeout' | 'not_the_api' | 'cut_off';

type NoAnswerDetails = {
  reason: NoAnswerReason;
  message: string;
  status?: number | null;
  requestId?: string | null;
  retryAfterSeconds?: number | null;
  cause?: unknown;
};

/** The service did not answer. Unless `reason` is `not_sent`, the request may have been carried out anyway. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  readonly reason: NoAnswerReason;
  /** The HTTP status of the other response, if any. */
  readonly status: number | null;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor({ reason, message, status = null, requestId = null, retryAfterSeconds = null, cause }: NoAnswerDetails) {
    super(message, { cause });
    this.reason = reason;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export type Failure = TrackingApiError | NoAnswerError;

/** Whether an error is a refusal by the service, of one of these kinds if any are given. */
export function isApiError(error: unknown, ...names: ErrorName[]): error is TrackingApiError {
  if (!(error instanceof TrackingApiError)) return false;
  return names.length === 0 || names.some((name) => ERROR_CODES[name] === error.code);
}

function isOneOf(...names: ErrorName[]): (error: unknown) => error is TrackingApiError {
  return (error): error is TrackingApiError => isApiError(error, ...names);
}

export const isUnauthorized = isOneOf('unauthorized');
/** The key lacks a scope, or may not be used from this network. */
export const isForbidden = isOneOf('forbidden');
export const isRateLimited = isOneOf('too_many_requests');
export const isNotRegistered = isOneOf('not_registered');
export const isRetrackTooSoon = isOneOf('retrack_too_soon');
export const isQuotaExhausted = isOneOf('quota_exhausted');
/** The event feed cannot continue after this cursor: continue after `nextCursor`. */
export function isCursorOutdated(error: unknown): error is TrackingApiError & { nextCursor: string } {
  return isApiError(error, 'conflict') && error.nextCursor !== null;
}
/** The input must change; sending the same again fails again. */
export const isInvalidInput = isOneOf(
  'bad_request',
  'batch_too_large',
  'invalid_number',
  'number_missing',
  'invalid_id',
  'unknown_courier',
  'carrier_undetected',
  'field_needed',
  'invalid_field',
);
