import { shipmentsQuery, shipmentsResponse } from '@pts/contract/shipments';
import type { Fault } from '@pts/core/faults';
import { ID_PATTERN } from '@pts/core/id';
import { isStatus, isSubStatus, STATUSES, SUB_STATUSES } from '@pts/core/tracking/status';
import { listShipments, type ShipmentFilter, type ShipmentRow } from '@pts/db/trackings/records';
import { operation } from '../../http/operation.ts';
import { viewShipment } from './view.ts';

const DEFAULT_LIMIT = 50;
const MOST_TIME = Date.UTC(9999, 11, 31);

/** GET /shipments: an account's shipments, newest update first, page by page. */
export const shipments = operation({
  method: 'get',
  path: '/shipments',
  limit: 'shipments',
  input: 'query',
  request: shipmentsQuery,
  response: shipmentsResponse,
  faults: (_deps, input) => [...statusFaults(input), ...idsFaults(input), ...cursorFaults(input)],
  doc: {
    id: 'listShipments',
    tag: 'Shipments',
    summary: 'List how parcels stand',
    description:
      'The account’s parcels, newest change first. Send `next_cursor` back as `cursor` for the next page until it is null. This is the way to follow many parcels at once, as is the `poll_url` that `POST /track/async` answers.',
    errors: ['invalid_id'],
    example: {
      request: { status: '派送中', limit: '50' },
      response: {
        shipments: [
          {
            ...{ id: '691f0a3c5d2b4e6f8a9c0d1e', tracking_number: 'YT8962646785999', carrier: 'yto' },
            ...{ status: '派送中', sub_status: 'out_for_delivery', updated_at: '2025-11-21T00:34:12Z' },
            latest_event: {
              ...{ time: '2025-11-21T00:30:00Z', location: '杭州市' },
              ...{ description: '快件正在派送中', status: 'out_for_delivery' },
            },
          },
        ],
        next_cursor: null,
      },
    },
  },
  async run({ db }, { account }, { status, ids, limit: limitText, cursor }) {
    const limit = limitText === undefined ? DEFAULT_LIMIT : Number(limitText);
    const filter = { accountId: account.id, ...byStatus(status), ...byIds(ids), ...afterCursor(cursor) };
    // One more than asked tells whether there is a further page.
    const rows = await listShipments(db, { ...filter, limit: limit + 1 });
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return { shipments: page.map(viewShipment), next_cursor: last ? toCursor(last) : null };
  },
});

function byStatus(status: string | undefined): Partial<ShipmentFilter> {
  if (status === undefined || status === '') return {};
  return isSubStatus(status) ? { subStatus: status } : { status };
}

/** Not an enum of the schema: an empty one is none, and a wrong one is often a right one in another encoding. */
function statusFaults({ status }: Record<string, unknown>): Fault[] {
  if (typeof status !== 'string' || status === '' || isStatus(status) || isSubStatus(status)) return [];
  const message = `must be one of ${[...STATUSES, ...SUB_STATUSES].join(', ')}, percent-encoded as UTF-8`;
  return [{ field: 'status', message, error: 'invalid_field' }];
}

/** The trackings of a `poll_url`; none where nothing was accepted. */
function byIds(text: string | undefined): Partial<ShipmentFilter> {
  return text === undefined ? {} : { ids: idsIn(text) };
}

function idsFaults({ ids }: Record<string, unknown>): Fault[] {
  if (typeof ids !== 'string' || idsIn(ids).every((id) => ID_PATTERN.test(id))) return [];
  const message = 'must be ids of 24 lowercase hexadecimal characters, separated by commas';
  return [{ field: 'ids', message, error: 'invalid_id' }];
}

function idsIn(text: string): string[] {
  return text === '' ? [] : text.split(',');
}

function toCursor({ updatedAt, id }: ShipmentRow): string {
  return Buffer.from(`${updatedAt.getTime()}.${id}`).toString('base64url');
}

function afterCursor(cursor: string | undefined): Partial<ShipmentFilter> {
  const after = cursor === undefined || cursor === '' ? null : fromCursor(cursor);
  return after === null ? {} : { after };
}

function cursorFaults({ cursor }: Record<string, unknown>): Fault[] {
  if (typeof cursor !== 'string' || cursor === '' || fromCursor(cursor)) return [];
  return [{ field: 'cursor', message: 'must be a next_cursor of an earlier answer', error: 'invalid_field' }];
}

function fromCursor(cursor: string): { updatedAt: Date; id: string } | null {
  const [time = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split('.');
  const updatedAt = new Date(Number(time));
  // Later years have more digits than the database reads.
  if (!/^\d{1,15}$/.test(time) || !ID_PATTERN.test(id) || updatedAt.getTime() > MOST_TIME) return null;
  return { updatedAt, id };
}
