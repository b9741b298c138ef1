import type { BulkPlace } from '@pts/db/bulk-actions/bulk-actions';
import { countShipments, listShipments, type ShipmentFilter } from '@pts/db/shipments';
import { readFilter } from '../shipments.ts';
import type { BulkScope, Target } from './action.ts';

/** Shipments that are listed together, to be acted upon or counted. */
const BATCH = { acted: 100, counted: 1000 } as const;
const SECOND_MS = 1000;
const OLDEST_FIRST = { by: 'created', isAscending: true } as const;

/** The shipments that a filter matches, in the order of their registration; those that are registered later are not among them. */
export const shipments: Target = {
  count: ({ db }, scope) => countShipments(db, filterOf(scope)),
  async next({ db }, scope, after): Promise<BulkPlace> {
    const filter = filterOf(scope);
    const { asOf, dryRun } = scope;
    const page = await listShipments(db, {
      filter: { ...filter, created: until(filter, asOf) },
      order: OLDEST_FIRST,
      after: after === null ? undefined : { updatedAt: asOf, id: after },
      limit: dryRun ? BATCH.counted : BATCH.acted,
    });
    const rows = page.rows.filter(({ createdAt }) => createdAt <= asOf);
    const isChanged = ({ updatedAt }: { updatedAt: Date }) => dependsOnState(filter) && updatedAt > asOf;
    return {
      ids: rows.filter((row) => !isChanged(row)).map(({ id }) => id),
      changed: rows.filter(isChanged).map(({ id }) => id),
      next: page.next?.id ?? null,
    };
  },
};

function filterOf({ accountId, filter, asOf }: BulkScope): ShipmentFilter {
  return readFilter(accountId, filter, asOf);
}

/** To the second: ids have no more. */
function until({ created = {} }: ShipmentFilter, asOf: Date) {
  const next = new Date(asOf.getTime() + SECOND_MS);
  return { ...created, until: created.until !== undefined && created.until < next ? created.until : next };
}

/** Whether news of a parcel may change whether it matches. */
function dependsOnState({ status, subStatus, subStatuses, attention, updated }: ShipmentFilter): boolean {
  return [status, subStatus, subStatuses, attention, updated].some((part) => part !== undefined);
}
