import type { OperationId } from '@pts/contract/routes';
import { type CallOptions, call, type Input, type Wire, withRetries } from './request.ts';
import { continuationOf, openStream, piecesOf, streamEvents } from './stream.ts';
import type * as t from './types.ts';

/** The largest page: what reads all of them needs a quarter of the requests. */
export const MAX_PAGE = 200;

/** Which shipments, and in which order. */
export type ShipmentFilter = {
  /** One of the four overall statuses, a sub-status, or `active`: neither delivered, returned nor expired. */
  status?: t.Status | t.SubStatus | 'active' | undefined;
  /** Part of a tracking number, an order id or a title. */
  q?: string | undefined;
  /** An order, exactly. */
  order_id?: string | undefined;
  /** Entries of the metadata, exactly. */
  metadata?: Readonly<Record<string, string>> | undefined;
  /** The code of a carrier. */
  carrier?: string | undefined;
  /** RFC 3339, as are the other times. */
  created_after?: string | undefined;
  created_before?: string | undefined;
  updated_after?: string | undefined;
  updated_before?: string | undefined;
  /** True: for any reason. */
  needs_attention?: true | t.AttentionReason | undefined;
  sort?: t.ShipmentSort | undefined;
};

export type ShipmentList = ShipmentFilter & {
  ids?: readonly string[] | undefined;
  /** Whether to count all that match (`total`). */
  count?: boolean | undefined;
  /** The page size: 1 to 200. Default 50. */
  limit?: number | undefined;
  cursor?: string | undefined;
};

/** GET /shipments: use this to follow many parcels. */
export function shipmentsOf(wire: Wire) {
  const list = ({ ids, count, ...filter }: ShipmentList = {}, options?: CallOptions) => {
    const query = { ...queryOf(filter), count: count?.toString(), ids: ids?.join(',') };
    return call<t.ShipmentPage>(wire, 'listShipments', { query }, options);
  };
  async function* iterate(
    { limit = MAX_PAGE, ...filter }: ShipmentList = {},
    options?: CallOptions,
  ): AsyncGenerator<t.Shipment, void, undefined> {
    let cursor = filter.cursor;
    const sort = sortOfAll(filter);
    for (;;) {
      const page = await list({ ...filter, limit, sort, cursor }, options);
      yield* page.shipments;
      if (page.next_cursor === null) return;
      cursor = page.next_cursor;
    }
  }
  return {
    /** One page, newest update first unless `sort` says otherwise. */
    list,
    /**
     * All shipments, page after page: the newest registration first, so that each is read once, also those that change
     * meanwhile. With a `cursor` of `list`, in the order of that list.
     */
    iterate,
    /** The shipments of a `poll_url`. The request, and the key, go to the client's own base URL. */
    poll: (pollUrl: string, options?: CallOptions) => iterate(filterOf(new URL(pollUrl).searchParams), options),
    /**
     * All shipments as a CSV file, the newest registration first, in pieces as they arrive. Leaving the loop ends the
     * request.
     */
    csv: (filter: ShipmentFilter = {}, options?: CallOptions) =>
      download(wire, 'exportShipments', { query: queryOf(filter), type: 'text/csv' }, options),
    /** Reads what needs attention: the account itself, how many shipments for each reason, and the newest ten. */
    attention: (options?: CallOptions) => call<t.AttentionSummary>(wire, 'getAttention', {}, options),
  };
}

/**
 * An order for reading every page: in the usual one of a list, a shipment that changes meanwhile would move to a page
 * that was read before. A cursor belongs to the order of its list.
 */
export function sortOfAll({ sort, cursor }: ShipmentList): ShipmentList['sort'] {
  return sort ?? (cursor === undefined ? '-created_at' : undefined);
}

function queryOf<F extends ShipmentFilter>({ needs_attention: reason, metadata = {}, ...filter }: F) {
  const entries = Object.entries(metadata).map(([key, value]) => [`metadata.${key}`, value] as const);
  return { ...filter, ...Object.fromEntries(entries), needs_attention: reason?.toString() };
}

/** An empty `ids` lists nothing, and is not the same as none. */
function filterOf(query: URLSearchParams): ShipmentList {
  const { ids, status, limit } = Object.fromEntries(query);
  return {
    ...(ids === undefined ? {} : { ids: ids.split(',') }),
    ...(status === undefined ? {} : { status: status as t.Status }),
    ...(limit === undefined ? {} : { limit: Number(limit) }),
  };
}

type EventsFrom = {
  /** The `next_cursor` of an earlier page; defaults to the oldest event. */
  after?: string | undefined;
  /** Without `after`: the number of newest events to start with, 1 to 200. */
  last?: number | undefined;
  limit?: number | undefined;
  /** Only events of this kind. */
  event?: t.EmittedEvent['event'] | undefined;
  /** Only events of this parcel. */
  tracking_id?: string | undefined;
};

/** GET /events: all events, to catch up on what a receiver missed. */
export function eventsOf(wire: Wire) {
  const list = (from: EventsFrom = {}, options?: CallOptions) =>
    call<t.EventPage>(wire, 'listEvents', { query: from }, options);
  /** A page, also after a failover that lost the cursor's last events: then from the place that the service names. */
  const listFrom = async (from: EventsFrom, options?: CallOptions) => {
    try {
      return await list(from, options);
    } catch (error) {
      const next = continuationOf(error);
      if (next === null) throw error;
      return list({ ...from, after: next }, options);
    }
  };
  /**
   * Page by page up to now: store `next_cursor` after each page. After a failover of the service, events may come
   * again: skip those whose `id` you know. If events after the cursor were removed, it throws a 409 (`eventsRemoved`):
   * they are missed.
   */
  async function* pages(from: EventsFrom = {}, options?: CallOptions): AsyncGenerator<t.EventPage, void, undefined> {
    let after = from.after;
    for (;;) {
      const page = await listFrom({ ...from, after }, options);
      yield page;
      if (!page.has_more) return;
      after = page.next_cursor;
    }
  }
  return {
    /** One page. Throws a 409 (`isCursorOutdated`) with `nextCursor` if the cursor would skip events. */
    list,
    pages,
    /**
     * Event by event, then each new one as it is stored, without an end: connects again by itself. `after` is a cursor
     * or `latest`, `last` the number of newest events to start with; store the `cursor` of the last event to continue
     * after a restart.
     */
    stream: (from: Pick<EventsFrom, 'after' | 'last'> = {}, options?: CallOptions) => streamEvents(wire, from, options),
    /** Event by event up to now. */
    async *iterate(
      { limit = MAX_PAGE, ...from }: EventsFrom = {},
      options?: CallOptions,
    ): AsyncGenerator<t.EmittedEvent, void, undefined> {
      for await (const page of pages({ ...from, limit }, options)) yield* page.events;
    },
  };
}

export type DeliveryFilter = {
  webhook_id?: string | undefined;
  event?: t.Delivery['event'] | undefined;
  /** The attempts of one message, by its `X-Webhook-Id`. */
  message_id?: string | undefined;
  /** The attempts for one parcel's events, by its id. */
  tracking_id?: string | undefined;
  /** Whether each record names its parcel. */
  parcels?: boolean | undefined;
  /** True: only failed attempts; false: only those that succeeded. */
  failed?: boolean | undefined;
  /** Only attempts with this HTTP status; 0: there was no answer. */
  status_code?: number | undefined;
  /** `exhausted`: it failed, and no further attempt follows. */
  outcome?: NonNullable<t.BulkDeliveryFilter['outcome']> | undefined;
  /** Only attempts that began then or later, and before then. RFC 3339. */
  since?: string | undefined;
  until?: string | undefined;
  /** The size of a page, at most 200; default 50. */
  limit?: number | undefined;
  /** The `next_before` of an earlier page; defaults to the newest attempt. */
  before?: string | undefined;
};

/** GET /webhooks/deliveries: the delivery log. */
export function deliveriesOf(wire: Wire) {
  const list = ({ failed, parcels, before, ...filter }: DeliveryFilter = {}, options?: CallOptions) => {
    const query = { ...filter, failed: failed?.toString(), parcels: parcels?.toString(), before };
    return call<t.Deliveries>(wire, 'listDeliveries', { query }, options);
  };
  async function* iterate(
    { limit = MAX_PAGE, ...filter }: DeliveryFilter = {},
    options?: CallOptions,
  ): AsyncGenerator<t.Delivery, void, undefined> {
    let { before } = filter;
    for (;;) {
      const page = await list({ ...filter, limit, before }, options);
      yield* page.items;
      if (page.next_before === null) return;
      before = page.next_before;
    }
  }
  return { list, iterate };
}

/**
 * Reads a file in pieces, as fast as the caller takes them. It is requested again only until its first piece has
 * arrived. Leaving the loop ends the request.
 * @param file its id or query, and its media type.
 * @throws TrackingApiError, NoAnswerError: a file that breaks off is incomplete
 */
export async function* download(
  wire: Wire,
  name: OperationId,
  { type, ...input }: Pick<Input, 'id' | 'query'> & { type: string },
  options: CallOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const request = { name, accept: type, ...input, read: piecesOf };
  const file = await withRetries(wire, name, options, () => openStream(wire, request, options));
  try {
    for (let piece = await file.next(); piece !== null; piece = await file.next()) yield piece;
  } finally {
    file.close();
  }
}
