import type { BulkPlace } from '@pts/db/bulk-actions/bulk-actions';
import { countShipments } from '@pts/db/shipments/count';
import { listShipments } from '@pts/db/shipments/list';
import type { ShipmentFilter } from '@pts/db/shipments/shipment';
import { readFilter } from '../shipments/filter.ts';
import type { BulkScope, Target } from './action.ts';

/** Shipments that are listed, and acted upon, together. */
const BATCH = 100;
const SECOND_MS = 1000;
const OLDEST_FIRST = { by: 'created', isAscending: true } as const;

/** The shipments that a filter matches, in the order of their registration; those that are registered later are not among them. */
export const shipments: Target = {
  count: ({ db }, requested) => countShipments(db, filterOf(requested)),
  async next({ db }, requested, after): Promise<BulkPlace> {
    const filter = filterOf(requested);
    const page = await listShipments(db, {
      filter: { ...filter, created: untilNow(filter, requested.at) },
      order: OLDEST_FIRST,
      after: after === null ? undefined : { updatedAt: requested.at, id: after },
      limit: BATCH,
    });
    const rows = page.rows.filter(({ createdAt }) => createdAt <= requested.at);
    const isChanged = ({ updatedAt }: { updatedAt: Date }) => dependsOnState(filter) && updatedAt > requested.at;
    return {
      ids: rows.filter((row) => !isChanged(row)).map(({ id }) => id),
      changed: rows.filter(isChanged).map(({ id }) => id),
      next: page.next?.id ?? null,
    };
  },
};

function filterOf({ accountId, filter, at }: BulkScope): ShipmentFilter {
  return readFilter(accountId, filter, at);
}

/** To the second: ids have no more. */
function untilNow({ created = {} }: ShipmentFilter, at: Date) {
  const next = new Date(at.getTime() + SECOND_MS);
  return { ...created, until: created.until !== undefined && created.until < next ? created.until : next };
}

/** Whether news of a parcel may change whether it matches. */
function dependsOnState({ status, subStatus, subStatuses, attention, updated }: ShipmentFilter): boolean {
  return [status, subStatus, subStatuses, attention, updated].some((part) => part !== undefined);
}
