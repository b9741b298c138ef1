import { bulkItem } from '@pts/contract/bulk';
import { quotaLimit } from '@pts/core/account/plan';
import { ApiError, ERRORS } from '@pts/core/errors';
import type { Account } from '@pts/db/accounts';
import { previewTrackings, type Registered, type Registration, registerTrackings } from '@pts/db/register';
import type { ApiDeps } from './deps.ts';
import type { Caller } from './endpoint.ts';
import { type RegistrationInput, registrationFaults, toRegistration } from './registration.ts';
import { createValidator } from './validate.ts';

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
 * @throws ApiError for another form, for none, and for more than 40, before anything is charged.
 */
export function readItems(body: unknown): unknown[] {
  const items = listOf(body);
  if (!items) {
    throw noList();
  }
  if (items.length === 0) throw new ApiError('number_missing');
  if (items.length > MOST_NUMBERS) throw new ApiError('batch_too_large');
  return items;
}

/** What a bulk body without a list is told. */
export function noList(): ApiError {
  const message =
    'must be an array: send {"tracking_numbers": ["..."]}, {"trackings": [...]}, or an array of trackings';
  return new ApiError('invalid_field', { fields: [{ field: 'tracking_numbers', message }] });
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

/**
 * Registers many numbers at once: a faulty one is told and the others go on; all that are new are charged together, or,
 * when the quota is too small for them, nothing is stored.
 */
export async function registerMany(deps: ApiDeps, { account }: Caller, items: readonly unknown[]): Promise<BulkResult> {
  const { registrations, errors } = readAll(deps, items);
  if (registrations.length === 0) return { trackings: [], errors };
  const register = () => registerTrackings(deps.db, order(deps, account, registrations));
  const result = await deps.bulkhead.run(account.id, register, MOST_WAITING);
  if (result.kind === 'quota_exhausted') throw new ApiError('quota_exhausted');
  await wake(deps, result.trackings);
  return { trackings: result.trackings, errors };
}

/** What `registerMany` would do: nothing is stored, charged or enqueued. */
export async function previewMany(deps: ApiDeps, { account }: Caller, items: readonly unknown[]) {
  const { registrations, errors } = readAll(deps, items);
  const preview = () => previewTrackings(deps.db, order(deps, account, registrations));
  const result = await deps.bulkhead.run(account.id, preview, MOST_WAITING);
  if (result.kind === 'quota_exhausted') throw new ApiError('quota_exhausted');
  return { trackings: result.trackings, errors };
}

/** Registrations as an account places them: with its quota, now. */
export function order({ quotas, now }: ApiDeps, account: Account, registrations: readonly Registration[]) {
  const limit = quotaLimit(account.plan, account.quotaOverride, quotas);
  return { accountId: account.id, quotaLimit: limit, registrations, now: now() };
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
    return toItemError(input, new ApiError('invalid_number', { text }));
  }
  try {
    validateItem(input, (given) => registrationFaults(deps, given));
    return toRegistration(deps, input as RegistrationInput);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return toItemError(input, error);
  }
}

/** A refusal as it is told of one item. */
export function toItemError(input: unknown, error: ApiError): ItemError {
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

/** One wake-up a provider and call. */
export async function wake({ producer, providers }: ApiDeps, trackings: readonly Registered[]): Promise<void> {
  const created = trackings.filter((tracking) => tracking.created);
  for (const { name, limits } of providers) {
    const ids = created.filter((tracking) => tracking.provider === name).map((tracking) => tracking.id);
    const count = Math.ceil(ids.length / limits.batchSize);
    const jobs = Array.from({ length: count }, (_, i) => ({
      ids: ids.slice(i * limits.batchSize, (i + 1) * limits.batchSize),
    }));
    if (jobs.length > 0) await producer.query(name, jobs);
  }
}
