import { bulkItem, type itemError } from '@pts/contract/bulk';
import type { Infer } from '@pts/contract/infer';
import { MOST_NUMBERS } from '@pts/contract/limits';
import { ERRORS, ServiceError } from '@pts/core/errors';
import type { BulkItem, Refused } from '@pts/service/trackings/bulk';
import { type ChoiceContext, loadLearned } from '@pts/service/trackings/choose-carrier';
import { registrationFaults, toRegistration } from '@pts/service/trackings/registration';
import type { ApiDeps } from '../../deps.ts';
import type { Caller } from '../../http/operation.ts';
import { createValidator } from '../../http/validate.ts';

/** Bulk calls of an account that may wait for their turn, in one process. */
export const MOST_BULK_WAITING = 100;

const validateItem = createValidator(bulkItem);

/**
 * The items of a bulk body in its three forms: a bare array of objects, `{"trackings": […]}`, or `{"tracking_numbers": ["…"]}`.
 * @throws ServiceError for another form, for none, and for more than 40, before anything is charged.
 */
export function readItems(body: unknown): unknown[] {
  const items = listOf(body);
  if (!items) throw noList();
  if (items.length === 0) throw new ServiceError('number_missing');
  if (items.length > MOST_NUMBERS) throw new ServiceError('batch_too_large');
  return items;
}

/** The error for a bulk body without a list. */
export function noList(): ServiceError {
  const message =
    'must be an array: send {"tracking_numbers": ["..."]}, {"trackings": [...]}, or an array of trackings';
  return new ServiceError('invalid_field', { fields: [{ field: 'tracking_numbers', message }] });
}

/** The list in a bulk body, whatever its form and length; null when there is none. */
export function listOf(body: unknown): unknown[] | null {
  if (Array.isArray(body)) return body;
  const { trackings, tracking_numbers: numbers } = fieldsOf(body);
  if (Array.isArray(trackings)) return trackings;
  return Array.isArray(numbers) ? numbers : null;
}

/** Whether a bulk call is a dry run: set in the body or, for a bare array, in the query. */
export function isDryRun({ query }: Pick<Caller, 'query'>, body: unknown): boolean {
  const inBody = fieldsOf(body).dry_run;
  const inQuery = query.dry_run === 'true' ? true : query.dry_run === 'false' ? false : query.dry_run;
  const said = [inBody, inQuery].filter((value) => value !== undefined);
  if (said.every((value) => typeof value === 'boolean')) return said.includes(true);
  throw new ServiceError('invalid_field', { fields: [{ field: 'dry_run', message: 'must be true or false' }] });
}

/** The items of a bulk call, each with its registration or the reason for its refusal. */
export async function readAll(deps: ChoiceContext, items: readonly unknown[]): Promise<BulkItem<unknown>[]> {
  await loadLearned(deps, items);
  return items.map((item) => readItem(deps, item));
}

/** An item of a bulk call, with its registration or the reason for its refusal. */
export function readItem(deps: ChoiceContext, given: unknown): BulkItem<unknown> {
  try {
    return { given, wanted: toRegistration(deps, checkedItem(deps, given)) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { given, wanted: error };
  }
}

function checkedItem(deps: Pick<ApiDeps, 'sandbox'>, given: unknown): Infer<typeof bulkItem> {
  const input = asObject(given);
  if (typeof input === 'object' && input !== null)
    return validateItem(input, (fields) => registrationFaults(deps, fields));
  const text = 'An item must be a tracking number or an object with tracking_number.';
  throw new ServiceError('invalid_number', { text });
}

/** The error of one item. */
export function viewRefused({ given, error }: Refused<unknown>): Infer<typeof itemError> {
  const { tracking_number: number, courier_code: code } = fieldsOf(asObject(given));
  const textOf = (value: unknown) => (typeof value === 'string' ? value.slice(0, 100) : null);
  return {
    tracking_number: textOf(number),
    courier_code: textOf(code),
    errorCode: ERRORS[error.error].number,
    errorMessage: error.message,
  };
}

function asObject(item: unknown): unknown {
  return typeof item === 'string' ? { tracking_number: item } : item;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
