import type { BulkAction, BulkShipmentFilter } from '@pts/client/types';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useClient } from '../session/client.tsx';
import { isOver } from './is-over.ts';
import { refreshShipments, type ShipmentFilter } from './shipments.ts';

export type { BulkAction };

const WATCH_MS = 1_000;
const QUERY_KEY = ['bulk-actions'];

/** What is being done to all shipments that match a filter; null if nothing is. `onEnd` gets it once it is over. */
export function useRunningBulkAction(onEnd: (ended: BulkAction) => void): BulkAction | null {
  const client = useClient();
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: QUERY_KEY,
    queryFn: async ({ signal }) => {
      const before = queries.getQueryData<BulkAction[]>(QUERY_KEY)?.find((one) => !isOver(one));
      const found = (await client.bulk.list({ signal })).bulk_actions;
      const ended = before && found.find(({ id }) => id === before.id);
      if (ended && isOver(ended)) {
        void refreshShipments(queries);
        onEnd(ended);
      }
      return found;
    },
    refetchInterval: ({ state }) => (state.data?.every(isOver) === false ? WATCH_MS : false),
  });
  return data?.find((one) => !isOver(one) && one.action !== 'redeliver') ?? null;
}

/** What can be done to shipments. */
export type Act = 'retrack' | 'stop' | 'delete';

/** Starts what is done to all shipments that match. */
export function useStartBulkAction() {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ action, filter }: { action: Act; filter: ShipmentFilter }) => {
      const wanted = bulkFilter(filter);
      return action === 'delete' ? client.bulk.delete(wanted, { all: true }) : client.bulk[action](wanted);
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: QUERY_KEY }),
  });
}

/** The filter of a list as that of a bulk action, which has no order and only texts. */
function bulkFilter({ sort: _order, ...filter }: ShipmentFilter): BulkShipmentFilter {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

/** Cancels it; what it has done stays. */
export function useCancelBulkAction() {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => client.bulk.cancel(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: QUERY_KEY }),
  });
}
