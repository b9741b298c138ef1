import type { Fault } from '@pts/core/errors';
import { rangeFaults } from '@pts/core/time';
import { filterFaults } from '@pts/service/shipments/filter';
import type { ApiDeps } from '../../deps.ts';

type Input = Record<string, unknown>;

/** The filters that are given; an empty one is none. */
export function givenFilters(filter: Readonly<Record<string, string | undefined>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filter).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]])),
  );
}

/** Of a bulk action for shipments. */
export function shipmentFaults(deps: Pick<ApiDeps, 'sandbox'>, input: Input): Fault[] {
  return inFilter(filterFaults(deps, filterOf(input)));
}

/** The same for a deletion: all shipments are deleted only if the request says so. */
export function deletionFaults(deps: Pick<ApiDeps, 'sandbox'>, input: Input): Fault[] {
  const isForAll = Object.values(filterOf(input)).every((value) => value === '');
  const message = 'must be true to delete all shipments of the account, because filter is empty';
  return [
    ...inFilter(filterFaults(deps, filterOf(input))),
    ...(isForAll && input.all !== true ? [{ field: 'all', message, error: 'invalid_field' as const }] : []),
  ];
}

/** Of a bulk redelivery. */
export function redeliveryFaults(_deps: unknown, input: Input): Fault[] {
  return inFilter(rangeFaults(filterOf(input), 'since', 'until'));
}

function inFilter(faults: readonly Fault[]): Fault[] {
  return faults.map((fault) => ({ ...fault, field: `filter.${fault.field}` }));
}

function filterOf({ filter }: Input): Input {
  return typeof filter === 'object' && filter !== null && !Array.isArray(filter) ? (filter as Input) : {};
}
