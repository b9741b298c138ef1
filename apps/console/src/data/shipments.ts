import type { EmittedEvent, Shipment, ShipmentPage } from '@pts/client/types';
import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { useClient } from '../session/client.tsx';

/** What the list is filtered by, as in the address. */
export type ShipmentFilter = { status?: Shipment['status'] | Shipment['sub_status'] };

const PAGE = 100;

type Pages = InfiniteData<ShipmentPage, string | undefined>;

/**
 * The shipments that match, newest change first, page after page. They are not read again by themselves: events change the
 * rows in their places, and the reader decides when they are sorted anew.
 */
export function useShipments(filter: ShipmentFilter) {
  const client = useClient();
  return useInfiniteQuery(
    infiniteQueryOptions({
      queryKey: ['shipments', filter],
      queryFn: ({ pageParam, signal }) =>
        client.shipments.list({ ...filter, limit: PAGE, cursor: pageParam }, { signal }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_cursor ?? undefined,
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
    }),
  );
}

/** The newest shipments of a status, for overviews. */
export function useNewest(status: ShipmentFilter['status'], limit: number) {
  const client = useClient();
  return useQuery({
    queryKey: ['newest', status, limit],
    queryFn: ({ signal }) => client.shipments.list({ status, limit }, { signal }),
  });
}

/** Reads all lists again, from their first pages on. */
export async function refreshShipments(queries: QueryClient): Promise<void> {
  queries.setQueriesData<Pages>({ queryKey: ['shipments'] }, (data) =>
    data ? { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) } : data,
  );
  await Promise.all([
    queries.invalidateQueries({ queryKey: ['shipments'] }),
    queries.invalidateQueries({ queryKey: ['newest'] }),
  ]);
}

/** Shows an event in the rows of its parcel, wherever they are; nothing moves. */
export function applyEvent(queries: QueryClient, { created_at, data }: EmittedEvent): void {
  const change = (row: Shipment): Shipment => ({
    ...row,
    carrier: data.carrier,
    status: data.status,
    sub_status: data.sub_status ?? row.sub_status,
    latest_event: data.events.at(-1) ?? row.latest_event,
    updated_at: created_at,
  });
  const inPage = (page: ShipmentPage): ShipmentPage =>
    page.shipments.some(({ id }) => id === data.id)
      ? { ...page, shipments: page.shipments.map((row) => (row.id === data.id ? change(row) : row)) }
      : page;
  queries.setQueriesData<Pages>({ queryKey: ['shipments'] }, (pages) =>
    pages ? { ...pages, pages: pages.pages.map(inPage) } : pages,
  );
}

/** Drops a parcel from all lists. */
export function dropShipment(queries: QueryClient, id: string): void {
  queries.setQueriesData<Pages>({ queryKey: ['shipments'] }, (pages) =>
    pages
      ? {
          ...pages,
          pages: pages.pages.map((page) => ({ ...page, shipments: page.shipments.filter((row) => row.id !== id) })),
        }
      : pages,
  );
}
