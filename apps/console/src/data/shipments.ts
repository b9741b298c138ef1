import type { ShipmentFilter } from '@pts/client/lists';
import type { EmittedEvent, Shipment, ShipmentPage } from '@pts/client/types';
import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { useClient } from '../session/client.tsx';

export type { ShipmentFilter };

const PAGE = 100;

/** `readAt`: when it was read, in milliseconds. */
type Page = ShipmentPage & { readAt: number };
type Pages = InfiniteData<Page, string | undefined>;

/**
 * The shipments that match, page after page; the first one says how many there are. They are not read again by
 * themselves: events change the rows in their places, and the reader decides when to sort them again.
 * @param from the cursor of the first page; null: the list begins at its top
 */
export function useShipments(filter: ShipmentFilter, from: string | null) {
  const client = useClient();
  const first = from ?? undefined;
  return useInfiniteQuery(
    infiniteQueryOptions({
      queryKey: ['shipments', filter, from],
      queryFn: async ({ pageParam: cursor, signal }): Promise<Page> => {
        const readAt = Date.now();
        const isFirst = cursor === first;
        const wanted = { ...filter, limit: PAGE, cursor, count: isFirst ? true : undefined };
        const page = await client.shipments.list(wanted, { signal });
        return { ...withoutDropped(withEventsSince(readAt, page)), readAt };
      },
      initialPageParam: first,
      getNextPageParam: (page) => page.next_cursor ?? undefined,
      placeholderData: (before) => before,
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
    }),
  );
}

/** The first shipments of a list, for overviews and searches. */
export function useFirst(filter: ShipmentFilter, limit: number, { isEnabled = true } = {}) {
  const client = useClient();
  return useQuery({
    queryKey: ['newest', filter, limit],
    queryFn: async ({ signal }) =>
      withoutDropped(await client.shipments.list({ ...filter, limit }, { signal })).shipments,
    placeholderData: (before) => before,
    enabled: isEnabled,
  });
}

/** Reads what needs attention: the account itself, how many parcels for each reason, and the newest ten. */
export function useAttention() {
  const client = useClient();
  return useQuery({
    queryKey: ['newest', 'attention'],
    queryFn: ({ signal }) => client.shipments.attention({ signal }),
  });
}

/** Reads all lists again, from their first pages on. @returns whether that has worked: a bar says what has failed. */
export async function refreshShipments(queries: QueryClient): Promise<boolean> {
  queries.setQueriesData<Pages>({ queryKey: ['shipments'] }, (data) =>
    data ? { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) } : data,
  );
  try {
    await Promise.all(
      ['shipments', 'newest'].map((kind) => queries.invalidateQueries({ queryKey: [kind] }, { throwOnError: true })),
    );
    return true;
  } catch {
    return false;
  }
}

/** Longer than a list is read for, its retries included. */
const RECENT_MS = 120_000;
const recentEvents: { at: number; event: EmittedEvent }[] = [];

/** Shows an event in the rows of its parcel, wherever they are; nothing moves. */
export function applyEvent(queries: QueryClient, event: EmittedEvent): void {
  const at = Date.now();
  recentEvents.push({ at, event });
  while ((recentEvents[0]?.at ?? at) < at - RECENT_MS) recentEvents.shift();
  queries.setQueriesData<Pages>({ queryKey: ['shipments'] }, (pages) =>
    pages ? { ...pages, pages: pages.pages.map((page) => withEvent(page, event)) } : pages,
  );
}

/** A page as it is now: events that came while it was read may be newer than what it says. */
function withEventsSince<P extends ShipmentPage>(readAt: number, page: P): P {
  return recentEvents.filter(({ at }) => at >= readAt).reduce((now, { event }) => withEvent(now, event), page);
}

function withEvent<P extends ShipmentPage>(page: P, event: EmittedEvent): P {
  const isNews = (row: Shipment) => row.id === event.data.id && !isShown(event, row);
  if (!page.shipments.some(isNews)) return page;
  return { ...page, shipments: page.shipments.map((row) => (isNews(row) ? rowAfter(event, row) : row)) };
}

/**
 * Whether a row is as new as the event. Times are whole seconds, so what is shown decides between events of the same
 * one.
 */
function isShown({ created_at, data }: EmittedEvent, row: Shipment): boolean {
  if (created_at !== row.updated_at) return created_at < row.updated_at;
  return data.sub_status === row.sub_status && data.events.at(-1)?.description === row.latest_event?.description;
}

function rowAfter(
  { created_at, data }: EmittedEvent,
  { attention, estimated_delivery: _before, ...row }: Shipment,
): Shipment {
  const subStatus = data.sub_status ?? row.sub_status;
  return {
    ...row,
    carrier: data.carrier,
    status: data.status,
    sub_status: subStatus,
    latest_event: data.events.at(-1) ?? row.latest_event,
    updated_at: created_at,
    ...(data.estimated_delivery && { estimated_delivery: data.estimated_delivery }),
    // The reason of another state is out of date.
    ...(attention && subStatus === row.sub_status ? attention : {}),
  };
}

/** Parcels that are removed. */
const dropped = new Set<string>();

/** Drops a parcel from all lists and their counts, also from those that are being read. */
export function dropShipment(queries: QueryClient, id: string): void {
  dropped.add(id);
  queries.setQueriesData<Pages>({ queryKey: ['shipments'] }, (list) => {
    if (!list?.pages.some(({ shipments }) => shipments.some((one) => one.id === id))) return list;
    const [first, ...others] = list.pages.map(withoutDropped);
    if (!first) return list;
    const counted = first.total === undefined ? first : { ...first, total: first.total - 1 };
    return { ...list, pages: [counted, ...others] };
  });
  void queries.invalidateQueries({ queryKey: ['stats'] });
}

/** Shows dropped parcels again. */
export function showDropped(queries: QueryClient, ids: readonly string[]): void {
  for (const id of ids) dropped.delete(id);
  void queries.invalidateQueries({ queryKey: ['stats'] });
  void refreshShipments(queries);
}

function withoutDropped<P extends ShipmentPage>(page: P): P {
  return { ...page, shipments: page.shipments.filter(({ id }) => !dropped.has(id)) };
}
