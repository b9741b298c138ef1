import { ERRORS, type ErrorName, type FieldError, ServiceError } from '@pts/core/errors';
import { message } from '@pts/core/languages/message';
import { errorEnvelope } from '../common.ts';
import { sizeText } from '../limits.ts';
import type { Operation, OperationDoc } from '../operation.ts';
import { type HeaderName, headerRefs, LIMIT_HEADERS, type References } from './components.ts';

/** Errors that are the same in every operation: one shared response each. */
const SHARED = {
  unauthorized: 'Unauthorized',
  forbidden: 'Forbidden',
  conflict: 'Conflict',
  payload_too_large: 'PayloadTooLarge',
  unsupported_media_type: 'UnsupportedMediaType',
  too_many_requests: 'TooManyRequests',
  internal: 'InternalError',
  unavailable: 'Unavailable',
} as const satisfies Partial<Record<ErrorName, string>>;

/** The meaning of the statuses. */
const DESCRIPTIONS: Record<number, string> = {
  400: 'The request was refused. `code` says why:',
  401: 'Authentication failed: the key is missing, malformed, wrong or was reset, or its account is disabled.',
  404: 'No such route, or this account has no object with this id.',
  403: 'The key lacks the scope of the operation, or may not be used from this network. `message` says which.',
  409: 'The `Idempotency-Key` is in use: a request with it is still running (wait for `Retry-After` seconds, then repeat it), or it belongs to a different request.',
  413: 'The body exceeds the size limit.',
  415: 'The body is not JSON.',
  429: 'Too many requests. Wait for `Retry-After` seconds.',
  500: 'Internal error. It is logged under the `X-Request-Id`.',
  503: 'The database cannot be reached at the moment. Try again after `Retry-After` seconds.',
};

/** Fields that examples of errors name. */
const FIELDS: Partial<Record<ErrorName, FieldError>> = {
  invalid_number: { field: 'tracking_number', message: message('field.number') },
  number_missing: { field: 'tracking_number', message: message('field.missing') },
  field_needed: {
    field: 'phone',
    message: message('field.needed_phone', { carrier: 'SF Express' }),
  },
  invalid_id: { field: 'id', message: message('field.id') },
  unknown_courier: { field: 'courier_code', message: message('field.unknown_carrier') },
  invalid_field: { field: 'limit', message: message('field.page_limit') },
};

/** The errors that an operation can return. */
export function errorsOf({ input, request, isKeyed, doc }: Operation): ErrorName[] {
  const fields = Object.keys('properties' in request ? (request.properties as object) : {});
  const common: ErrorName[] = [
    // Operations without input have it too: for an oversized URL or headers, or an invalid Host.
    'bad_request',
    ...(fields.some((field) => field === 'id' || field.endsWith('_id')) && input !== 'query'
      ? (['invalid_id'] as const)
      : []),
    'unauthorized',
    'forbidden',
    ...(input === 'body' || input === 'file' ? (['payload_too_large', 'unsupported_media_type'] as const) : []),
    ...(isKeyed ? (['conflict'] as const) : []),
    'too_many_requests',
    'internal',
    'unavailable',
    // Those without input, too: for a parameter that they do not have.
    'invalid_field',
  ];
  return [...new Set([...common, ...(doc.errors ?? [])])].sort((a, b) => ERRORS[a].number - ERRORS[b].number);
}

/** An operation's error responses, by HTTP status. */
export function errorResponses(operation: Operation, references: References): Record<string, object> {
  const names = errorsOf(operation);
  const statuses = [...new Set(names.map((name) => ERRORS[name].http))];
  return Object.fromEntries(
    statuses.map((status) => {
      const [first, ...others] = names.filter((name) => ERRORS[name].http === status);
      if (first === undefined) throw new Error(`no error has the status ${status}`);
      const isShared = others.length === 0 && !(first === 'conflict' && operation.doc.conflict);
      const shared = isShared ? (SHARED as Partial<Record<ErrorName, string>>)[first] : undefined;
      const own = () => errorResponse(status, [first, ...others], references, operation.doc.conflict);
      // A description next to a reference replaces that of what it refers to.
      const named = status === 413 ? { description: tooLargeText(operation) } : {};
      return [String(status), shared ? { $ref: `#/components/responses/${shared}`, ...named } : own()];
    }),
  );
}

function tooLargeText({ bodyBytes }: Operation): string {
  return `The body is larger than ${sizeText(bodyBytes)}. It is not read completely, and the connection is closed.`;
}

/** The responses that operations share. */
export function sharedResponses(references: References): Record<string, object> {
  return Object.fromEntries(
    Object.entries(SHARED).map(([name, component]) => {
      const error = name as ErrorName;
      return [component, errorResponse(ERRORS[error].http, [error], references)];
    }),
  );
}

function errorResponse(
  status: number,
  names: readonly ErrorName[],
  references: References,
  conflict?: OperationDoc['conflict'],
): object {
  return {
    description: describe(status, names, conflict),
    'x-error-codes': names.map((name) => ERRORS[name].number),
    headers: headerRefs(headersOf(status, names)),
    content: {
      'application/json': {
        schema: references.refer(errorEnvelope),
        examples: Object.fromEntries(names.map((name) => [name, errorExample(name, conflict)])),
      },
    },
  };
}

function describe(status: number, names: readonly ErrorName[], conflict: OperationDoc['conflict']): string {
  if (status === 409 && conflict) return conflict.when;
  const text = DESCRIPTIONS[status] ?? 'Refused.';
  if (status !== 400) return text;
  return [text, '', ...names.map((name) => `- **${ERRORS[name].number}** ${message(`error.${name}`)}`)].join('\n');
}

/** Errors that occur before the rate limit is counted have no RateLimit headers. */
function headersOf(status: number, names: readonly ErrorName[]): HeaderName[] {
  const waits = [409, 429, 503].includes(status) || names.includes('retrack_too_soon');
  const isLimited = ![401, 403, 413].includes(status);
  return ['X-Request-Id', 'Link', ...(isLimited ? LIMIT_HEADERS : []), ...(waits ? (['Retry-After'] as const) : [])];
}

/** An example of the answer to an error. `conflict` is what a 409 of the operation means. */
export function errorExample(name: ErrorName, conflict?: OperationDoc['conflict']) {
  const { number } = ERRORS[name];
  const field = FIELDS[name];
  const own = name === 'conflict' ? conflict : undefined;
  const { text } = new ServiceError(name, { ...(field && { fields: [field] }), ...(own && { text: own.message }) });
  const docs_url = `https://api.example.com/docs/errors/${number}`;
  const data = { ...(field ? { errors: [field] } : {}), ...own?.data, docs_url };
  const value = { code: number, meta: number, message: text, data };
  return { summary: `${number} ${name}`, value: JSON.parse(JSON.stringify(value)) };
}
