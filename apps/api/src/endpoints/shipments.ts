import { shipmentsQuery, shipmentsResponse } from '@pts/contract/trackings';
import { ApiError } from '@pts/core/errors';
import { ID_PATTERN } from '@pts/core/id';
import { isStatus, isSubStatus, STATUSES } from '@pts/core/tracking/status';
import { listShipments, type ShipmentFilter, type ShipmentRow } from '@pts/db/trackings';
import { endpoint } from '../endpoint.ts';
import { viewShipment } from '../views.ts';

const DEFAULT_LIMIT = 50;
const MOST_TIME = Date.UTC(9999, 11, 31);

/** GET /shipments: an account's shipments, newest update first, page by page. */
export const shipments = endpoint({
  method: 'get',
  path: '/shipments',
  limit: 'shipments',
  input: 'query',
  request: shipmentsQuery,
  response: shipmentsResponse,
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
  if (isStatus(status)) return { status };
  if (isSubStatus(status)) return { subStatus: status };
  throw new ApiError('invalid_field', {
    fields: [{ field: 'status', message: `must be one of ${STATUSES.join(', ')}, or a sub-status` }],
  });
}

/** The trackings of a `poll_url`; none where nothing was accepted. */
function byIds(text: string | undefined): Partial<ShipmentFilter> {
  if (text === undefined) return {};
  const ids = text === '' ? [] : text.split(',');
  if (!ids.every((id) => ID_PATTERN.test(id)))
    throw new ApiError('invalid_id', { fields: [{ field: 'ids', message: 'must be ids, separated by commas' }] });
  return { ids };
}

function toCursor({ updatedAt, id }: ShipmentRow): string {
  return Buffer.from(`${updatedAt.getTime()}.${id}`).toString('base64url');
}

function afterCursor(cursor: string | undefined): Partial<ShipmentFilter> {
  if (cursor === undefined || cursor === '') return {};
  const [time = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split('.');
  const updatedAt = new Date(Number(time));
  // Later years have more digits than the database reads.
  if (!/^\d{1,15}$/.test(time) || !ID_PATTERN.test(id) || updatedAt.getTime() > MOST_TIME) {
    throw new ApiError('invalid_field', {
      fields: [{ field: 'cursor', message: 'must be a next_cursor of an earlier answer' }],
    });
  }
  return { after: { updatedAt, id } };
}
