import type { BulkAction, BulkDeliveryFilter, BulkShipmentFilter } from '@pts/client/types';
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useClient } from '../session/client.tsx';
import { isOver } from './queries.ts';
import { refreshShipments, type ShipmentFilter } from './shipments.ts';
import { refreshDeliveries } from './webhooks.ts';

export type { BulkAction, BulkDeliveryFilter };

const WATCH_MS = 1_000;
const QUERY_KEY = ['bulk-actions'];

/** The kind of records that a bulk action is for. */
export type Kind = 'shipments' | 'messages';

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

/**
 * The bulk action that is running: it changes all that match a filter, or counts them; null if none is. `onEnd` gets
 * what was done, once it is over.
 */
export function useRunningBulkAction(onEnd: (ended: BulkAction) => void, kind: Kind): BulkAction | null {
  const queries = useQueryClient();
  const { data } = useBulkActions();
  const own = data?.filter((one) => isOf(kind, one)) ?? [];
  const running = useRef(new Set<string>());
  useEffect(() => {
    for (const one of own) {
      if (one.dry_run) continue;
      if (!isOver(one)) running.current.add(one.id);
      else if (running.current.delete(one.id)) {
        void (kind === 'shipments' ? refreshShipments(queries) : refreshDeliveries(queries));
        onEnd(one);
      }
    }
  });
  return own.find((one) => !isOver(one)) ?? null;
}

/**
 * Adds it to the list at once: it may be over before the list is read again, and then its end would not be announced.
 */
function showStarted(queries: QueryClient, started: BulkAction): Promise<void> {
  queries.setQueryData<BulkAction[]>(QUERY_KEY, (known = []) => [started, ...known]);
  return queries.invalidateQueries({ queryKey: QUERY_KEY });
}

/** The last redeliveries of an endpoint, newest first. */
export function useRedeliveries(webhookId: string): BulkAction[] {
  const { data } = useBulkActions();
  return data?.filter((one) => isOf('messages', one) && !one.dry_run && one.filter.webhook_id === webhookId) ?? [];
}

/** An action that can be done to shipments. */
export type Act = 'retrack' | 'stop' | 'delete';

type Matching = { shipments: ShipmentFilter } | { messages: BulkDeliveryFilter };

/**
 * Counts what matches a filter, in the background if it takes long: `counted` has the count so far, which is exact once
 * it is done. `onNone`: nothing matches.
 */
export function useDryRun(onNone: () => void) {
  const client = useClient();
  const queries = useQueryClient();
  const { mutate: cancel } = useCancelBulkAction();
  const { data: known } = useBulkActions();
  const asked = useMutation({
    mutationFn: (all: Matching) =>
      'messages' in all
        ? client.bulk.countMessages(all.messages)
        : client.bulk.countShipments(bulkFilter(all.shipments)),
    onSuccess: (counted) => showStarted(queries, counted),
  });
  const { data: first, reset } = asked;
  const counted = first && (known?.find(({ id }) => id === first.id) ?? first);
  const isDone = counted?.state === 'done';
  const isNone = isDone && counted.matched === 0;
  useEffect(() => {
    if (!isNone) return;
    reset();
    onNone();
  });
  const close = () => {
    if (counted && !isOver(counted)) cancel(counted.id);
    reset();
  };
  return { ask: asked.mutate, isAsking: asked.isPending, counted, isDone, close };
}

export type DryRun = ReturnType<typeof useDryRun>;

/** Does something to what a dry run has counted. */
export function useStartBulkAction() {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ action, counted }: { action: BulkAction['action']; counted: BulkAction }) => {
      const { filter, id, matched } = counted;
      const options = { dry_run_id: id, expected_count: matched, ...(action === 'delete' && { all: true }) };
      return client.bulk[action](filter, options);
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
