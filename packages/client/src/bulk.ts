import { type CallOptions, call } from './request.ts';
import type * as t from './types.ts';
import type { Wire } from './wire.ts';

type Start = 'bulkRetrack' | 'bulkStop' | 'bulkDelete' | 'bulkRedeliver';

/** What is done to everything that a filter matches, in the background; an account has one at a time. */
export function bulkOf(wire: Wire) {
  const start =
    <Filter>(name: Start) =>
    (filter: Filter, options?: CallOptions) =>
      call<t.BulkAction>(wire, name, { body: { filter } }, options);
  const count =
    <Filter>(name: Start) =>
    (filter: Filter, options?: CallOptions) =>
      call<t.DryRunBulkAction>(wire, name, { body: { filter, dry_run: true } }, options);
  return {
    /** Checks shipments again now, each at most once an hour. */
    retrack: start<t.BulkShipmentFilter>('bulkRetrack'),
    /** Stops polling shipments, which stay; a retrack resumes them. */
    stop: start<t.BulkShipmentFilter>('bulkStop'),
    /** Deletes shipments. `all` must be true if the filter is empty. */
    delete: (filter: t.BulkShipmentFilter, { all, ...options }: CallOptions & { all?: boolean } = {}) =>
      call<t.BulkAction>(wire, 'bulkDelete', { body: { filter, all } }, options),
    /** Sends messages again, by the last attempt to send each. */
    redeliver: start<t.BulkDeliveryFilter>('bulkRedeliver'),
    /** How many would match now; nothing is done. */
    countShipments: count<t.BulkShipmentFilter>('bulkRetrack'),
    countMessages: count<t.BulkDeliveryFilter>('bulkRedeliver'),
    /** The last bulk actions, newest first. */
    list: (options?: CallOptions) => call<t.BulkActions>(wire, 'listBulkActions', {}, options),
    one: (id: string, options?: CallOptions) => call<t.BulkAction>(wire, 'getBulkAction', { id }, options),
    /** Cancels a bulk action; what it has done stays so. */
    cancel: (id: string, options?: CallOptions) => call<t.BulkAction>(wire, 'cancelBulkAction', { id }, options),
  };
}
