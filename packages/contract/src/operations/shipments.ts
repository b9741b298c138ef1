import { defineOperation, defineStream } from '../operation.ts';
import { exportQuery, shipmentsQuery, shipmentsResponse } from '../schemas/shipments.ts';
import { EXAMPLE_ID, EXAMPLE_NUMBER } from './examples.ts';

/** An account's shipments, searched, filtered and in an order, page by page. */
export const listShipments = defineOperation({
  method: 'get',
  path: '/shipments',
  limit: 'shipments',
  repeat: 'safe',
  scope: 'read',
  input: 'query',
  request: shipmentsQuery,
  response: shipmentsResponse,
  localized: true,
  doc: {
    id: 'listShipments',
    tag: 'Shipments',
    summary: 'List shipments',
    summaryZh: '列出和搜索包裹',
    description:
      'The account’s parcels, newest change first unless `sort` says otherwise. Filters can be combined. For the next page, send `next_cursor` as `cursor` with the same filters, until it is null. With `sort=-created_at` each parcel keeps its place meanwhile; in the usual order, one that changes moves to the front. Use this, or the `poll_url` from `POST /track/async`, to follow many parcels at once.',
    errors: ['invalid_id'],
    example: {
      request: { status: '派送中', q: 'jacket', count: 'true', limit: '50' },
      response: {
        shipments: [
          {
            id: EXAMPLE_ID,
            tracking_number: EXAMPLE_NUMBER,
            carrier: 'yto',
            status: '派送中',
            sub_status: 'out_for_delivery',
            order_id: 'A-1001',
            title: 'Blue jacket, size M',
            created_at: '2025-11-18T07:12:40Z',
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
        total: 1,
        total_is_lower_bound: false,
      },
    },
  },
});

/** The columns of the export, in their order. */
export const EXPORT_COLUMNS = [
  ...['tracking_number', 'courier_code', 'status', 'sub_status', 'order_id', 'title', 'attention'],
  ...['latest_event_time', 'latest_event_location', 'latest_event_description'],
  ...['estimated_delivery_from', 'estimated_delivery_to', 'created_at', 'updated_at', 'id'],
] as const;

/** The shipments of a list as a file for spreadsheets. */
export const exportShipments = defineStream({
  method: 'get',
  path: '/shipments.csv',
  limit: 'shipments.csv',
  repeat: 'safe',
  scope: 'read',
  input: 'query',
  request: exportQuery,
  line: { type: 'string' },
  doc: {
    id: 'exportShipments',
    tag: 'Shipments',
    summary: 'Export shipments as CSV',
    summaryZh: '导出包裹为 CSV',
    description: `All shipments that match the filters of \`GET /shipments\`, newest registration first unless \`sort\` says otherwise, as one CSV file (RFC 4180, UTF-8 with a byte order mark, for spreadsheets). The first line names the columns: ${EXPORT_COLUMNS.map((name) => `\`${name}\``).join(', ')}. \`courier_code\` is empty while several carriers are possible.

A cell that a spreadsheet would run as a formula, or change as a number or a date (\`00123\`, \`9400111899223197428490\`), begins with an apostrophe: drop it when you read the file.

The file is written as fast as it is read. In the order of registrations, each shipment is there exactly once, also one that changes meanwhile; sorted by \`updated_at\`, such a shipment may be missing or there twice. If something fails after the first line, the connection ends before the response does: such a file is incomplete. An account can have 2 open exports.`,
    media: {
      response: {
        'text/csv': {
          schema: { type: 'string' },
          example: `${EXPORT_COLUMNS.join(',')}\r\n'00340434161094042557,dhl,派送中,out_for_delivery,A-1001,"Blue jacket, size M",,2025-11-21T00:30:00Z,Kiel,Out for delivery,2025-11-21,2025-11-21,2025-11-18T07:12:40Z,2025-11-21T00:34:12Z,691f0a3c5d2b4e6f8a9c0d1e\r\n`,
        },
      },
    },
  },
});
