import { bulkItem } from '@pts/contract/bulk';
import { ERRORS, ServiceError } from '@pts/core/errors';
import type { Registered, Registration } from '@pts/db/trackings/register';
import { previewAll, registerAll } from '@pts/service/trackings/register';
import { type RegistrationInput, registrationFaults, toRegistration } from '@pts/service/trackings/registration';
import type { ApiDeps } from './deps.ts';
import type { Caller } from './http/operation.ts';
import { createValidator } from './http/validate.ts';

/** Numbers that one call takes (spec section 8). */
export const MOST_NUMBERS = 40;
/** Bulk calls of an account that may wait for their turn, in one process. */
const MOST_WAITING = 100;

export type ItemError = {
  tracking_number: string | null;
  courier_code: string | null;
  errorCode: number;
  errorMessage: string;
};
export type BulkResult = { trackings: Registered[]; errors: ItemError[] };

const validateItem = createValidator(bulkItem);

/**
 * The items of a bulk body in its three forms: a bare array of objects, `{"trackings": […]}`, or `{"tracking_numbers": ["…"]}`.
 * @throws ServiceError for another form, for none, and for more than 40, before anything is charged.
 */
export function readItems(body: unknown): unknown[] {
  const items = listOf(body);
  if (!items) {
    throw noList();
  }
  if (items.length === 0) throw new ServiceError('number_missing');
  if (items.length > MOST_NUMBERS) throw new ServiceError('batch_too_large');
  return items;
}

/** What a bulk body without a list is told. */
export function noList(): ServiceError {
  const message =
    'must be an array: send {"tracking_numbers": ["..."]}, {"trackings": [...]}, or an array of trackings';
  return new ServiceError('invalid_field', { fields: [{ field: 'tracking_numbers', message }] });
}

/** The list in a bulk body, whatever its form and length; null when there is none. */
export function listOf(body: unknown): unknown[] | null {
  if (Array.isArray(body)) return body;
  const { trackings, tracking_numbers: numbers } = (typeof body === 'object' && body !== null ? body : {}) as Record<
    string,
    unknown
  >;
  if (Array.isArray(trackings)) return trackings;
  return Array.isArray(numbers) ? numbers : null;
}

/** Registers the numbers of a bulk call: a faulty one is told and the others go on. */
export async function registerMany(deps: ApiDeps, { account }: Caller, items: readonly unknown[]): Promise<BulkResult> {
  const { registrations, errors } = readAll(deps, items);
  const register = () => registerAll(deps, account, registrations);
  return { trackings: await deps.bulkhead.run(account.id, register, MOST_WAITING), errors };
}

/** What `registerMany` would do: nothing is stored, charged or asked. */
export async function previewMany(deps: ApiDeps, { account }: Caller, items: readonly unknown[]) {
  const { registrations, errors } = readAll(deps, items);
  const preview = () => previewAll(deps, account, registrations);
  return { trackings: await deps.bulkhead.run(account.id, preview, MOST_WAITING), errors };
}

function readAll(deps: ApiDeps, items: readonly unknown[]): { registrations: Registration[]; errors: ItemError[] } {
  const errors: ItemError[] = [];
  const registrations: Registration[] = [];
  for (const item of items) {
    const outcome = readItem(deps, item);
    if ('errorCode' in outcome) errors.push(outcome);
    else registrations.push(outcome);
  }
  return { registrations, errors };
}

/** What is to be registered for one item, or why nothing is. */
export function readItem(deps: ApiDeps, item: unknown): Registration | ItemError {
  const input = typeof item === 'string' ? { tracking_number: item } : item;
  if (typeof input !== 'object' || input === null) {
    const text = 'An item must be a tracking number, or an object with tracking_number.';
    return toItemError(input, new ServiceError('invalid_number', { text }));
  }
  try {
    validateItem(input, (given) => registrationFaults(deps, given));
    return toRegistration(deps, input as RegistrationInput);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return toItemError(input, error);
  }
}

/** A refusal as it is told of one item. */
export function toItemError(input: unknown, error: ServiceError): ItemError {
  const { tracking_number: number, courier_code: code } = (
    typeof input === 'object' && input !== null ? input : {}
  ) as Record<string, unknown>;
  const textOf = (value: unknown) => (typeof value === 'string' ? value.slice(0, 100) : null);
  return {
    tracking_number: textOf(number),
    courier_code: textOf(code),
    errorCode: ERRORS[error.error].number,
    errorMessage: error.message,
  };
}
