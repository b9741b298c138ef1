import type { ErrorName } from '@pts/core/errors';

/** The cause of every error and what to do about it; Markdown of one line. */
export type ErrorGuide = Readonly<Record<ErrorName, { cause: string; fix: string }>>;

/** Why each error occurs and what to do about it. The message of an answer says which field or limit it was. */
export const en: ErrorGuide = {
  bad_request: {
    cause:
      'The request cannot be read: invalid JSON, an address that is not percent-encoded, or headers that are too large.',
    fix: 'Send what `message` asks for: it names the line and column of invalid JSON. Percent-encode every character that is not ASCII.',
  },
  unauthorized: {
    cause: 'The key is missing, malformed, wrong, revoked or expired, or its account is disabled.',
    fix: 'Send the whole key in `X-API-Key` or as `Authorization: Bearer`: `tk_` and 48 lowercase hexadecimal characters, without quotes or spaces. Try it with `GET /auth/me`. If it was revoked, create another one.',
  },
  forbidden: {
    cause: 'The key is valid, but it lacks the scope of the operation or is limited to other networks.',
    fix: 'Use a key with the scope that `message` names, or call from a network that the key allows. `GET /keys` lists both.',
  },
  not_found: {
    cause: 'The path does not exist, or nothing in this account has this id.',
    fix: 'Compare the path with the reference. It begins with `/api/v1`. Take ids from responses to the same account.',
  },
  method_not_allowed: {
    cause: 'The path exists, but not with this method.',
    fix: 'Use one of the methods in the `Allow` header of the response.',
  },
  conflict: {
    cause:
      'The `Idempotency-Key` belongs to a different request, or the first request with it is still running. The request may also conflict with the current state, for example with an outdated event cursor.',
    fix: 'Wait for `Retry-After` and repeat the same request, or use a new key for a new request. For `GET /events`, continue after `data.next_cursor`.',
  },
  payload_too_large: {
    cause: 'The body is larger than the operation accepts. It was not read.',
    fix: 'Send less per request. For many numbers, use a [batch, a stream or an import](/docs/pagination).',
  },
  unsupported_media_type: {
    cause:
      'The `Content-Type` is missing or not supported by the operation, its `charset` is not UTF-8, or the operation does not support the compression of the body.',
    fix: 'Send `Content-Type: application/json` without a `charset`. Streams also accept `application/x-ndjson`, and imports accept files, both only uncompressed.',
  },
  too_many_requests: {
    cause:
      'The account has sent more requests per second than this operation allows, or has too many open streams, imports or bulk calls, or too many requests with an invalid key came from your network. Nothing was done or charged.',
    fix: 'Wait 120 seconds (`Retry-After`), then send more slowly. Do not poll `GET /trackings/get`. Use a webhook or `GET /events` instead.',
  },
  internal: {
    cause: 'The service has a fault. It was logged with the `X-Request-Id` of the response.',
    fix: 'If the request is safe to repeat, try again with growing pauses. If the problem persists, send the `X-Request-Id` to your operator.',
  },
  unavailable: {
    cause:
      'The service is starting or stopping, cannot reach its database at the moment, or has reached its maximum number of event streams.',
    fix: 'Repeat the request after `Retry-After` seconds. Registering a number is safe to repeat, and any other POST is if you send an `Idempotency-Key`.',
  },
  not_registered: {
    cause: 'None of the numbers is registered under this account. Perhaps they were registered with another key.',
    fix: 'Register the number with `POST /trackings/create`. `GET /shipments` lists what is registered.',
  },
  batch_too_large: {
    cause: 'The call has more than 40 tracking numbers. Nothing was registered or charged.',
    fix: 'Send at most 40 per call, or use `POST /track/batch-stream` for thousands and `POST /imports` for files.',
  },
  invalid_number: {
    cause:
      'A tracking number does not have 5 to 50 letters and digits, has no digit, is not a string, or is several numbers in one.',
    fix: 'Send it as a string (in quotes), as the carrier prints it. Spaces and hyphens are dropped. Send each number as a separate item. `data.errors` names the field.',
  },
  number_missing: {
    cause: 'The request has no tracking number, or has it under another name.',
    fix: 'Send the field that `data.errors` names, such as `tracking_number`.',
  },
  invalid_id: {
    cause: 'An id is malformed. Perhaps a tracking number was sent instead.',
    fix: 'Ids have 24 lowercase hexadecimal characters. Use the `id` of a response as it is.',
  },
  retrack_too_soon: {
    cause: 'This tracking was retracked less than an hour ago.',
    fix: 'Wait for the time in `Retry-After`. Parcels are checked regularly anyway, so retrack only when someone asks.',
  },
  unknown_courier: {
    cause: 'No carrier has this `courier_code`.',
    fix: 'Use a code from `GET /couriers/all`, or omit the field to have the carrier detected.',
  },
  carrier_undetected: {
    cause:
      'The number does not match the format of any known carrier, its check digit is wrong, or this installation has no provider for its carrier. `message` says which. Nothing was stored or charged.',
    fix: 'Check the number for typing errors. If it is right, send the carrier in `courier_code` (one with `trackable` in `GET /couriers/all`), or ask your operator for a provider.',
  },
  field_needed: {
    cause: 'The carrier requires another field, such as the last four digits of a phone number. Nothing was charged.',
    fix: 'Add the field that `data.errors` names. `tracking_required_fields` in `GET /couriers/all` says what each carrier needs.',
  },
  invalid_field: {
    cause: 'A field or parameter is unknown, or has the wrong type, format or range. Nothing was stored.',
    fix: 'Correct the fields in `data.errors`, each of which has its path and what it must be.',
  },
  quota_exhausted: {
    cause:
      'The units of this month are used up, or there are fewer left than new numbers in the call. None of these was registered. Registered parcels are still tracked.',
    fix: 'Send no more new numbers than there are units left, as shown by `GET /account`. Otherwise, wait until the 1st of next month (UTC), or ask your operator for a larger plan, which takes effect at once.',
  },
};
