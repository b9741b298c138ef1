import { ERRORS, type ErrorName, ServiceError } from './errors.ts';
import { message } from './languages/message.ts';

/** Spec section 7, then the API family's further numbers. */
const NUMBERS: readonly (readonly [ErrorName, number: number, http: number])[] = [
  ['unauthorized', 401, 401],
  ['too_many_requests', 429, 429],
  ['not_registered', 4102, 400],
  ['batch_too_large', 4103, 400],
  ['retrack_too_soon', 4113, 400],
  ['quota_exhausted', 4190, 400],
  ['bad_request', 400, 400],
  ['forbidden', 403, 403],
  ['not_found', 404, 404],
  ['method_not_allowed', 405, 405],
  ['conflict', 409, 409],
  ['payload_too_large', 413, 413],
  ['unsupported_media_type', 415, 415],
  ['internal', 500, 500],
  ['unavailable', 503, 503],
  ['invalid_number', 4110, 400],
  ['number_missing', 4111, 400],
  ['invalid_id', 4112, 400],
  ['unknown_courier', 4120, 400],
  ['carrier_undetected', 4121, 400],
  ['field_needed', 4122, 400],
  ['invalid_field', 4130, 400],
];

test.each(NUMBERS)('%s has the number %i and the HTTP status %i', (name, number, http) => {
  expect(ERRORS[name]).toMatchObject({ number, http });
});

test('there are no other errors, and no number is used twice', () => {
  expect(Object.keys(ERRORS).sort()).toEqual(NUMBERS.map(([name]) => name).sort());
  expect(new Set(NUMBERS.map(([, number]) => number)).size).toBe(NUMBERS.length);
});

test.each(Object.keys(ERRORS) as ErrorName[])('%s says what is wrong in a whole sentence', (name) => {
  expect(`${message(`error.${name}`)}`).toMatch(/^[A-Z].{15,}\.$/);
});

test.each<[ErrorName, string]>([
  ['unauthorized', 'X-API-Key'],
  ['too_many_requests', '120 seconds'],
  ['not_registered', 'POST /api/v1/trackings/create'],
  ['batch_too_large', 'at most 40'],
  ['retrack_too_soon', '1 hour'],
  ['quota_exhausted', '1st of next month'],
  ['unknown_courier', 'GET /api/v1/couriers/all'],
  ['carrier_undetected', 'courier_code'],
])('%s says how to fix it', (name, words) => {
  expect(`${message(`error.${name}`)}`).toContain(words);
});

describe('an ServiceError', () => {
  test('has the text of its table row, and names no field', () => {
    const error = new ServiceError('not_registered');
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'ServiceError',
      error: 'not_registered',
      message: `${message('error.not_registered')}`,
      fields: [],
      retryAfterSeconds: undefined,
    });
  });

  test('has a more specific text if one is given', () => {
    const fields = [{ field: 'url', message: message('field.url_https') }];
    const error = new ServiceError('invalid_field', {
      text: message('invalid', { faults: fields }),
      fields,
      retryAfterSeconds: 7,
    });
    expect(error).toMatchObject({ message: 'Invalid: url must use https.', fields, retryAfterSeconds: 7 });
  });
});
