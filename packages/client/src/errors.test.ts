import { ERRORS } from '@pts/core/errors';
import * as errors from './errors.ts';

const { ERROR_CODES, isApiError, TrackingApiError } = errors;
const of = (name: errors.ErrorName) => new TrackingApiError({ code: ERROR_CODES[name], status: 400, message: '' });

test('the numbers are those of the service', () => {
  expect(ERROR_CODES).toEqual(Object.fromEntries(Object.entries(ERRORS).map(([name, { number }]) => [name, number])));
});

test.each([
  ['unauthorized', errors.isUnauthorized],
  ['too_many_requests', errors.isRateLimited],
  ['not_registered', errors.isNotRegistered],
  ['retrack_too_soon', errors.isRetrackTooSoon],
  ['quota_exhausted', errors.isQuotaExhausted],
  ['invalid_number', errors.isInvalidInput],
  ['carrier_undetected', errors.isInvalidInput],
] as const)('%s is recognized by its predicate, and only by that one', (name, predicate) => {
  const all = [errors.isUnauthorized, errors.isRateLimited, errors.isNotRegistered, errors.isRetrackTooSoon];
  const others = [...all, errors.isQuotaExhausted, errors.isInvalidInput].filter((one) => one !== predicate);
  expect(predicate(of(name))).toBe(true);
  expect(others.map((one) => one(of(name)))).not.toContain(true);
});

test('any error can be matched by name', () => {
  expect(isApiError(of('invalid_id'), 'unknown_courier', 'invalid_id')).toBe(true);
  expect(isApiError(of('invalid_id'), 'unknown_courier')).toBe(false);
  expect(isApiError(of('invalid_id'))).toBe(true);
  expect([new Error(''), null, { code: 4112 }].map((error) => isApiError(error))).toEqual([false, false, false]);
});
