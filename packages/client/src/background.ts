import { download } from './lists.ts';
import { type CallOptions, call, type FileBody, type Wire } from './request.ts';
import type * as t from './types.ts';

/** Long enough for the largest file over a slow connection. */
const UPLOAD_TIMEOUT_MS = 600_000;

/** A file, and how it is to be read; `dry_run` only examines it. */
export type NewImport = {
  content: FileBody['content'];
  /** Default: CSV. */
  format?: keyof typeof TYPES;
  dry_run?: boolean;
} & Omit<t.ImportOptions, 'dry_run'>;

const TYPES = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;

/** Files whose parcels are registered in the background. */
export function importsOf(wire: Wire) {
  return {
    /** Uploads a file; `one` shows its progress. */
    start: ({ content, format = 'csv', dry_run, ...query }: NewImport, options?: CallOptions) =>
      call<t.Import>(
        wire,
        'startImport',
        {
          query: { ...query, dry_run: dry_run === undefined ? undefined : String(dry_run) },
          file: { content, type: TYPES[format] },
        },
        { timeoutMs: UPLOAD_TIMEOUT_MS, ...options },
      ),
    /** The last imports, newest first. */
    list: (options?: CallOptions) => call<t.Imports>(wire, 'listImports', {}, options),
    one: (id: string, options?: CallOptions) => call<t.Import>(wire, 'getImport', { id }, options),
    /** Cancels an import; what it has registered stays so. */
    cancel: (id: string, options?: CallOptions) => call<t.Import>(wire, 'cancelImport', { id }, options),
    /** The rejected rows with their reasons, as a CSV file in pieces: correct them and start an import with it. */
    rejected: (id: string, options?: CallOptions) =>
      download(wire, 'getRejectedRows', { id, type: 'text/csv' }, options),
  };
}

type Start = 'bulkRetrack' | 'bulkStop' | 'bulkDelete' | 'bulkRedeliver';
/** For how many a bulk action is meant, and the dry run that has counted them. */
type Expected = { expected_count?: number; dry_run_id?: string };

/** Actions on everything that a filter matches, in the background; an account has one at a time. */
export function bulkOf(wire: Wire) {
  const start =
    <Filter>(name: Start) =>
    (filter: Filter, { expected_count, dry_run_id, ...options }: CallOptions & Expected = {}) =>
      call<t.BulkAction>(wire, name, { body: { filter, expected_count, dry_run_id } }, options);
  const count =
    <Filter>(name: Start) =>
    (filter: Filter, options?: CallOptions) =>
      call<t.BulkAction>(wire, name, { body: { filter, dry_run: true } }, options);
  return {
    /** Checks shipments again now, each at most once an hour. */
    retrack: start<t.BulkShipmentFilter>('bulkRetrack'),
    /** Stops polling shipments, which stay; a retrack resumes them. */
    stop: start<t.BulkShipmentFilter>('bulkStop'),
    /** Deletes shipments. `all` must be true if the filter is empty. */
    delete: (
      filter: t.BulkShipmentFilter,
      { all, expected_count, dry_run_id, ...options }: CallOptions & Expected & { all?: boolean } = {},
    ) => call<t.BulkAction>(wire, 'bulkDelete', { body: { filter, all, expected_count, dry_run_id } }, options),
    /** Sends messages again, by the last attempt to send each. */
    redeliver: start<t.BulkDeliveryFilter>('bulkRedeliver'),
    /** How many match now: `matched`, exact once it is `done`. Its `id` is then the `dry_run_id` of what is started. */
    countShipments: count<t.BulkShipmentFilter>('bulkRetrack'),
    countMessages: count<t.BulkDeliveryFilter>('bulkRedeliver'),
    /** The last bulk actions, newest first. */
    list: (options?: CallOptions) => call<t.BulkActions>(wire, 'listBulkActions', {}, options),
    one: (id: string, options?: CallOptions) => call<t.BulkAction>(wire, 'getBulkAction', { id }, options),
    /** Cancels a bulk action; what it has done stays so. */
    cancel: (id: string, options?: CallOptions) => call<t.BulkAction>(wire, 'cancelBulkAction', { id }, options),
  };
}
