import { bulkDeleteRequest, bulkRedeliverRequest, bulkRequest } from '@pts/contract/schemas/bulk-actions';
import type { Fault } from '@pts/core/faults';
import { rangeFaults } from '@pts/service/deliveries/range';
import { filterFaults } from '@pts/service/shipments/filter';
import type { ApiDeps } from '../../deps.ts';
import { unknownFields } from '../../http/body/unknown-fields.ts';

type Input = Record<string, unknown>;
type Schema = { properties: { filter: { properties: object } } };

/** The filters that are given; an empty one is none. */
export function givenFilters(filter: Readonly<Record<string, string | undefined>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filter).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]])),
  );
}

/** Of a bulk action for shipments. */
export function shipmentFaults(deps: Pick<ApiDeps, 'sandbox'>, input: Input): Fault[] {
  return [...unknownIn(input, bulkRequest), ...inFilter(filterFaults(deps, filterOf(input)))];
}

/** The same for a deletion: all shipments are deleted only if the request says so. */
export function deletionFaults(deps: Pick<ApiDeps, 'sandbox'>, input: Input): Fault[] {
  const isForAll = Object.values(filterOf(input)).every((value) => value === '');
  const message = 'must be true to delete all shipments of the account, because filter is empty';
  return [
    ...unknownIn(input, bulkDeleteRequest),
    ...inFilter(filterFaults(deps, filterOf(input))),
    ...(isForAll && input.all !== true ? [{ field: 'all', message, error: 'invalid_field' as const }] : []),
  ];
}

/** Of a bulk redelivery. */
export function redeliveryFaults(_deps: unknown, input: Input): Fault[] {
  return [...unknownIn(input, bulkRedeliverRequest), ...inFilter(rangeFaults(filterOf(input)))];
}

/** A misspelled filter must not match more. */
function unknownIn(input: Input, { properties }: Schema): Fault[] {
  const known = properties.filter.properties;
  return [...unknownOf(input, properties), ...inFilter(unknownOf(filterOf(input), known))];
}

function unknownOf(given: object, known: object): Fault[] {
  const otherwise = () => `is not a field of this request; it has ${Object.keys(known).join(', ')}`;
  return unknownFields(given, known, { otherwise });
}

function inFilter(faults: readonly Fault[]): Fault[] {
  return faults.map((fault) => ({ ...fault, field: `filter.${fault.field}` }));
}

function filterOf({ filter }: Input): Input {
  return typeof filter === 'object' && filter !== null && !Array.isArray(filter) ? (filter as Input) : {};
}
