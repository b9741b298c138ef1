import { defineOperation } from '../operation.ts';
import { shipmentsQuery, shipmentsResponse } from '../schemas/shipments.ts';
import { EXAMPLE_ID, EXAMPLE_NUMBER } from './examples.ts';

/** An account's shipments, newest update first, page by page. */
export const listShipments = defineOperation({
  method: 'get',
  path: '/shipments',
  limit: 'shipments',
  input: 'query',
  request: shipmentsQuery,
  response: shipmentsResponse,
  localized: true,
  doc: {
    id: 'listShipments',
    tag: 'Shipments',
    summary: 'List shipments',
    description:
      'The account’s parcels, newest change first. For the next page, send `next_cursor` as `cursor`, until it is null. Use this, or the `poll_url` from `POST /track/async`, to follow many parcels at once.',
    errors: ['invalid_id'],
    example: {
      request: { status: '派送中', limit: '50' },
      response: {
        shipments: [
          {
            id: EXAMPLE_ID,
            tracking_number: EXAMPLE_NUMBER,
            carrier: 'yto',
            status: '派送中',
            sub_status: 'out_for_delivery',
            updated_at: '2025-11-21T00:34:12Z',
            latest_event: {
              time: '2025-11-21T00:30:00Z',
              location: '杭州市',
              description: '快件正在派送中',
              status: 'out_for_delivery',
            },
          },
        ],
        next_cursor: null,
      },
    },
  },
});
