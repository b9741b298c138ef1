import type { BulkAction, BulkDeliveryFilter, BulkShipmentFilter } from '@pts/client/types';
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useClient } from '../session/client.tsx';
import { isOver } from './is-over.ts';
import { refreshShipments, type ShipmentFilter } from './shipments.ts';
import { refreshDeliveries } from './webhooks.ts';

export type { BulkAction, BulkDeliveryFilter };

const WATCH_MS = 1_000;
const QUERY_KEY = ['bulk-actions'];

/** What a bulk action is for. */
type Kind = 'shipments' | 'messages';

function isOf(kind: Kind, { action }: BulkAction): boolean {
  return (action === 'redeliver') === (kind === 'messages');
}

/** The last bulk actions, newest first; followed closely while one runs. */
function useBulkActions() {
  const client = useClient();
  return useQuery({
    queryKey: QUERY_KEY,
    queryFn: async ({ signal }) => (await client.bulk.list({ signal })).bulk_actions,
    refetchInterval: ({ state }) => (state.data?.every(isOver) === false ? WATCH_MS : false),
  });
}

/** What is being done to all that match a filter; null if nothing is. `onEnd` gets it once it is over. */
export function useRunningBulkAction(onEnd: (ended: BulkAction) => void, kind: Kind = 'shipments'): BulkAction | null {
  const queries = useQueryClient();
  const { data } = useBulkActions();
  const own = data?.filter((one) => isOf(kind, one)) ?? [];
  const running = useRef(new Set<string>());
  useEffect(() => {
    for (const one of own) {
      if (!isOver(one)) running.current.add(one.id);
      else if (running.current.delete(one.id)) {
        void (kind === 'shipments' ? refreshShipments(queries) : refreshDeliveries(queries));
        onEnd(one);
      }
    }
  });
  return own.find((one) => !isOver(one)) ?? null;
}

/** Adds it to the list at once: it may be over before the list is read again, and then its end would not be announced. */
function showStarted(queries: QueryClient, started: BulkAction): Promise<void> {
  queries.setQueryData<BulkAction[]>(QUERY_KEY, (known = []) => [started, ...known]);
  return queries.invalidateQueries({ queryKey: QUERY_KEY });
}

/** The last redeliveries of an endpoint, newest first. */
export function useRedeliveries(webhookId: string): BulkAction[] {
  const { data } = useBulkActions();
  return data?.filter((one) => isOf('messages', one) && one.filter.webhook_id === webhookId) ?? [];
}

/** Counts the messages whose last attempt matches. */
export function useCountRedelivery() {
  const client = useClient();
  return useMutation({ mutationFn: (filter: BulkDeliveryFilter) => client.bulk.countMessages(filter) });
}

/** Sends them again. */
export function useStartRedelivery() {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (filter: BulkDeliveryFilter) => client.bulk.redeliver(filter),
    onSuccess: (started) => showStarted(queries, started),
  });
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
    onSuccess: (started) => showStarted(queries, started),
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
