import { bulkItem, type itemError } from '@pts/contract/batch';
import { MAX_NUMBERS } from '@pts/contract/limits';
import type { Infer } from '@pts/contract/schema';
import { ERRORS, type Fault, invalidField, refusal, refusedField, ServiceError } from '@pts/core/errors';
import { message } from '@pts/core/languages/message';
import { misspeltDryRun, sentInstead } from '@pts/core/sent-instead';
import {
  type BulkItem,
  type ChoiceContext,
  loadLearned,
  type Refused,
  registrationFaults,
  registrationOrRefusal,
} from '@pts/service/trackings/register';
import type { ApiDeps } from '../deps.ts';
import { helpAddress } from '../http/addresses.ts';
import type { TimeSlices } from '../http/bulkhead.ts';
import type { Caller, Localized } from '../http/operation.ts';
import { createValidator, createWarnings, isObject } from '../http/validate.ts';

/** Bulk calls of an account that may wait, in one process. */
const MAX_BULK_WAITING = 100;

/** Runs the statements of a bulk call when its account may. @throws ServiceError `too_many_requests`. */
export function asBulk<T>(
  { bulkhead }: Pick<ApiDeps, 'bulkhead'>,
  accountId: string,
  work: () => Promise<T>,
): Promise<T> {
  return bulkhead.run(accountId, work, MAX_BULK_WAITING);
}

const validateItem = createValidator(bulkItem);
/** The fields of an item. A dry run is refused there, or turned off. */
const ITEM_FIELDS: readonly string[] = [...Object.keys(bulkItem.properties), 'dry_run'];
const BODY_FIELDS = ['trackings', 'tracking_numbers', 'dry_run'] as const;

/** Collects the ignored fields of a bulk call: those beside its list, and those of its numbers. */
export function createBulkWarnings(itemFields = ITEM_FIELDS) {
  const warnings = createWarnings();
  return {
    ...warnings,
    lookAtItem: (item: unknown, index: number) => warnings.lookAt(item, itemFields, { index }),
    lookBeside(body: unknown): void {
      if (!Array.isArray(body)) warnings.lookAt(body, BODY_FIELDS, { ofItems: itemFields });
    },
  };
}

/** The ignored fields of a bulk body that was accepted. */
export function bulkWarnings(body: unknown, itemFields = ITEM_FIELDS) {
  const warnings = createBulkWarnings(itemFields);
  warnings.lookBeside(body);
  for (const [index, item] of (listOf(body) ?? []).entries()) warnings.lookAtItem(item, index);
  return warnings.found();
}

/**
 * The items of a bulk body in its three forms: a bare array of objects, `{"trackings": […]}`, or `{"tracking_numbers":
 * ["…"]}`.
 * @throws ServiceError for another form, for none, and for more than 40, before anything is charged.
 */
export function readItems(body: unknown): unknown[] {
  const items = requireList(body);
  if (items.length > MAX_NUMBERS) {
    const text = message('too_many_numbers', { max: MAX_NUMBERS, count: items.length });
    throw new ServiceError('batch_too_large', { text });
  }
  return items;
}

/**
 * The list in a bulk body, whatever its form and length.
 * @throws ServiceError for none, for an empty one, and for two.
 */
export function requireList(body: unknown): unknown[] {
  const items = listOf(body);
  if (!items) throw noList(body);
  refuseTwoLists(body);
  if (items.length === 0) throw emptyList(body);
  return items;
}

const LISTS = { tracking_numbers: '["...", "..."]', trackings: '[{"tracking_number": "..."}]' } as const;

/** The error for a bulk body without a list. */
function noList(body: unknown): ServiceError {
  const fields = fieldsOf(body);
  const given = (['tracking_numbers', 'trackings'] as const).find((name) => fields[name] !== undefined);
  if (given !== undefined) return refusedField(given, message('field.array_of_one', { example: LISTS[given] }));
  const sent = sentInstead('tracking_numbers', fields);
  const fault = sent === undefined ? message('field.missing_list') : message('field.missing_list_not_as', { sent });
  return new ServiceError('number_missing', { fields: [{ field: 'tracking_numbers', message: fault }] });
}

/** Refuses a body with both lists: one would be dropped. @throws ServiceError `invalid_field`. */
function refuseTwoLists(body: unknown): void {
  const { trackings, tracking_numbers: numbers = null } = fieldsOf(body);
  // Some clients send fields that have no value.
  const isEmpty = numbers === null || (Array.isArray(numbers) && numbers.length === 0);
  if (Array.isArray(trackings) && !isEmpty) throw refusedField('tracking_numbers', message('field.two_lists'));
}

/** The error for a bulk body whose list is empty. */
function emptyList(body: unknown): ServiceError {
  const field = Array.isArray(fieldsOf(body).trackings) ? 'trackings' : 'tracking_numbers';
  return new ServiceError('number_missing', { fields: [{ field, message: message('field.empty') }] });
}

function listOf(body: unknown): unknown[] | null {
  if (Array.isArray(body)) return body;
  const { trackings, tracking_numbers: numbers } = fieldsOf(body);
  if (Array.isArray(trackings)) return trackings;
  return Array.isArray(numbers) ? numbers : null;
}

/** Whether a bulk call is a dry run: set in the body or, for a bare array, in the query. */
export function isDryRun({ query }: Pick<Caller, 'query'>, body: unknown): boolean {
  const misnamed = misspeltDryRun(Array.isArray(body) ? [] : fieldsOf(body));
  if (misnamed.length > 0) throw refusal(misnamed);
  const inBody = fieldsOf(body).dry_run;
  const inQuery = query.dry_run === 'true' ? true : query.dry_run === 'false' ? false : query.dry_run;
  const said = [inBody, inQuery].filter((value) => value !== undefined);
  if (said.every((value) => typeof value === 'boolean')) return said.includes(true);
  throw refusedField('dry_run', message('field.boolean'));
}

/**
 * For bulk calls that have no dry run: one must not be charged, so it is refused, not ignored like other unknown
 * fields.
 */
export function refuseDryRun(caller: Pick<Caller, 'query'>, body: unknown): void {
  if (!isDryRun(caller, body)) return;
  throw refusedField('dry_run', message('field.dry_run_of_batch'));
}

/** An item of a bulk call and its place in the request, from 0. */
type Placed = { index: number; value: unknown };

/** The items of a bulk call, each with its registration or the reason for its refusal. */
export function readAll(
  deps: ChoiceContext,
  items: readonly unknown[],
  slices: TimeSlices,
): Promise<BulkItem<Placed>[]> {
  const placed = items.map((value, index) => ({ index, value }));
  return readPlaced(deps, placed, slices);
}

/** `readAll` for items whose places are known. One with a fault is refused for it. */
export async function readPlaced<T extends Placed | { fault: ServiceError }>(
  deps: ChoiceContext,
  items: readonly T[],
  slices: TimeSlices,
): Promise<BulkItem<T>[]> {
  await loadLearned(
    deps,
    items.map((item) => ('fault' in item ? null : item.value)),
  );
  slices.resume();
  const read: BulkItem<T>[] = [];
  for (const given of items) {
    const wanted = 'fault' in given ? given.fault : registrationOrRefusal(deps, () => checkedItem(deps, given.value));
    read.push({ given, wanted });
    await slices.next();
  }
  return read;
}

function checkedItem(deps: Pick<ApiDeps, 'sandbox'>, given: unknown): Infer<typeof bulkItem> {
  const input = asObject(given);
  if (isObject(input))
    return validateItem(input, (fields) => [...registrationFaults(deps, fields), ...dryRunFaults(fields)]);
  const fields = [{ field: 'tracking_number', message: message('field.missing_item') }];
  throw new ServiceError('invalid_number', { fields });
}

/** A dry run is one of the whole call: a number that asks for one must not be charged. */
function dryRunFaults(item: Record<string, unknown>): Fault[] {
  const { dry_run: isAsked = false } = item;
  if (isAsked === false) return misspeltDryRun(item);
  return [invalidField('dry_run', message('field.dry_run_of_call'))];
}

/** How the error of an item is shown. @param baseUrl of the API, for the page about the error */
export function refusedView(baseUrl: string): (refused: Refused<Placed>) => Localized<Infer<typeof itemError>> {
  return ({ given, error }) => {
    const { tracking_number: sent, courier_code: code } = fieldsOf(asObject(given.value));
    const textOf = (value: unknown) =>
      // Half a character cannot be read by every JSON parser.
      typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 100).toWellFormed() : null;
    const { number } = ERRORS[error.error];
    return {
      index: given.index,
      field: error.fields[0]?.field ?? null,
      tracking_number: textOf(sent),
      courier_code: textOf(code),
      errorCode: number,
      errorMessage: error.text,
      docs_url: helpAddress(baseUrl, number),
    };
  };
}

function asObject(item: unknown): unknown {
  return typeof item === 'string' || typeof item === 'number' ? { tracking_number: item } : item;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
