import { ACCOUNT_REASONS, ATTENTION_REASONS, reasonText } from '@pts/core/attention';
import { MIN_SEARCHED } from '@pts/core/search';
import { freeText, OPTIONAL_FIELD_SCHEMAS, TRACKING_FIELD_SCHEMAS } from '@pts/core/tracking/fields';
import { STATUSES, SUB_STATUSES } from '@pts/core/tracking/status';
import {
  carrierCode,
  EXAMPLE_ID,
  EXAMPLE_NUMBER,
  id,
  include,
  instant,
  lang,
  latestEventLang,
  nextCursor,
  pageLimit,
  status,
  statusTexts,
  subStatus,
  trackingEvent,
  trackingNumber,
} from './common.ts';
import { defineOperation, defineStream, NO_INPUT } from './operation.ts';
import { object, optional } from './schema.ts';
import { estimatedDelivery, registrationInputs } from './trackings.ts';

const REASONS = ATTENTION_REASONS.map((reason) => `\`${reason}\`: ${reasonText(reason)}`).join('; ');

/** A time in any zone. */
function bound(description: string) {
  return {
    type: 'string',
    format: 'date-time',
    maxLength: 40,
    description: `${description} RFC 3339, any time zone.`,
    examples: ['2025-11-01T00:00:00Z'],
  } as const;
}

/** Which shipments: of lists, exports and bulk actions. */
export const shipmentFilters = {
  status: {
    type: 'string',
    maxLength: 30,
    description: `Only shipments of this \`status\` (${STATUSES.join(', ')}, percent-encoded) or \`sub_status\` (${SUB_STATUSES.join(', ')}); or \`active\`: those that are neither delivered, returned nor expired.`,
    examples: ['派送中'],
  },
  q: {
    ...freeText(100),
    description: `Only shipments whose tracking number, order id or title contains this text: at least ${MIN_SEARCHED} characters, or 2 of Chinese, Japanese or Korean. Case does not matter, and neither do spaces and hyphens in a tracking number.`,
    examples: ['jacket'],
  },
  order_id: {
    ...TRACKING_FIELD_SCHEMAS.order_id,
    description: 'Only shipments with exactly this `order_id`.',
  },
  metadata: {
    ...TRACKING_FIELD_SCHEMAS.metadata,
    title: 'ShipmentMetadataFilter',
    description:
      'Only shipments with exactly these entries in `metadata`. In a URL, send them as JSON (`metadata={"shop":"hangzhou"}`) or as one parameter each (`metadata.shop=hangzhou` or `metadata[shop]=hangzhou`).',
  },
  carrier: { ...freeText(40), description: 'Only shipments of this carrier, by its code.', examples: ['yto'] },
  created_after: bound('Only shipments registered at this time or later, in whole seconds.'),
  created_before: bound('Only shipments registered before this time, in whole seconds.'),
  updated_after: bound('Only shipments that last changed at this time or later (`updated_at`).'),
  updated_before: bound('Only shipments that last changed before this time.'),
  needs_attention: {
    title: 'AttentionFilter',
    type: 'string',
    enum: ['true', ...ATTENTION_REASONS],
    description: `Only shipments that need attention: \`true\` for any reason, or one of the reasons. ${REASONS}.`,
  },
} as const;

export const SORTS = ['-updated_at', 'updated_at', '-created_at', 'created_at'] as const;

/** Without `default`: Kotlin code would name it by another rule than the constants. */
const sort = {
  title: 'ShipmentSort',
  type: 'string',
  enum: SORTS,
  description:
    'The order, by the time of the last change or of the registration. With `-`, newest first. Registrations within the same second have no particular order. Default: `-updated_at` in lists, and `-created_at` in exports, because changes do not affect that order while the file is written.',
} as const;

export const shipmentsQuery = {
  type: 'object',
  properties: {
    ...shipmentFilters,
    sort,
    count: {
      type: 'string',
      enum: ['true', 'false'],
      description:
        'With `true`, the response has the number of matching shipments (`total`), unless counting takes too long.',
    },
    limit: pageLimit,
    cursor: {
      type: 'string',
      maxLength: 200,
      description: 'The `next_cursor` of the previous page. Send it with the same filters and the same order.',
      examples: ['MTc2MzY4ODg1MjAwMC42OTFmMGEzYzVkMmI0ZTZmOGE5YzBkMWU'],
    },
    ids: {
      type: 'string',
      maxLength: 5000,
      description: 'Only trackings with these ids, separated by commas. A `poll_url` contains them.',
      examples: ['691f0a3c5d2b4e6f8a9c0d1e'],
    },
    lang,
    include,
  },
} as const;

export const exportQuery = { type: 'object', properties: { ...shipmentFilters, sort, include } } as const;

const reason = {
  title: 'AttentionReason',
  type: 'string',
  enum: ATTENTION_REASONS,
  description: `${REASONS}. More may be added.`,
} as const;
const message = { type: 'string', description: 'The reason in words, for humans. The wording may change.' } as const;

export const shipment = {
  title: 'Shipment',
  type: 'object',
  description: 'A summary of a tracking: its status and its latest event.',
  required: ['id', 'tracking_number', 'carrier', 'status', 'sub_status', 'latest_event', 'created_at', 'updated_at'],
  properties: {
    id,
    tracking_number: trackingNumber,
    carrier: carrierCode,
    status,
    sub_status: subStatus,
    ...statusTexts,
    latest_event: { anyOf: [trackingEvent, { type: 'null' }], description: 'Null while there are no events.' },
    latest_event_lang: latestEventLang,
    order_id: registrationInputs.order_id,
    title: registrationInputs.title,
    estimated_delivery: estimatedDelivery,
    ...OPTIONAL_FIELD_SCHEMAS,
    attention: object(
      { reason, message },
      { title: 'Attention', description: 'Why the shipment needs attention. Absent if it does not.' },
    ),
    created_at: { ...instant, description: 'When the number was registered.' },
    updated_at: { ...instant, description: 'When the parcel last changed.' },
  },
} as const;

/** The attention that a push names. */
export const pushedAttention = object(
  {
    reason,
    since: { ...instant, description: 'When the reason began to apply.' },
    details: { ...message },
  },
  { title: 'PushedAttention', description: 'Why the parcel needs attention.' },
);

const shipmentsResponse = object(
  {
    shipments: {
      type: 'array',
      items: shipment,
      description:
        'The shipments in the requested order. Empty if none match. If only few of many shipments match the filters, a page can have fewer entries than `limit`, or even none, although `next_cursor` is not null.',
    },
    next_cursor: nextCursor,
    total: optional({
      type: 'integer',
      minimum: 0,
      description:
        'With `count=true`, the number of matching shipments on all pages. Absent if counting took too long.',
    }),
    total_is_lower_bound: optional({
      type: 'boolean',
      description: 'With `count=true`, whether there may be more than `total`. At most 10,000 are counted.',
    }),
  },
  { title: 'ShipmentPage' },
);

/** GET /attention. */
const attentionResponse = object(
  {
    account: {
      type: 'array',
      description: 'What needs attention about the account itself. Empty if nothing does.',
      items: object(
        {
          reason: {
            title: 'AccountReason',
            type: 'string',
            enum: ACCOUNT_REASONS,
            description:
              '`quota_exhausted`: no new number can be registered this month. `endpoint_disabled`: the service has disabled a webhook. More may be added.',
          },
          message,
          webhook_id: optional({ ...id, description: 'The disabled webhook.' }),
        },
        { title: 'AccountAttention' },
      ),
    },
    reasons: {
      type: 'array',
      description: 'The reasons that apply to at least one shipment.',
      items: object(
        {
          reason,
          message: { type: 'string', description: 'The reason in words.' },
          count: {
            type: 'integer',
            minimum: 1,
            maximum: 1000,
            description: 'The number of shipments. 1000 means 1000 or more.',
          },
        },
        { title: 'AttentionCount' },
      ),
    },
    newest: {
      type: 'array',
      maxItems: 10,
      items: shipment,
      description:
        'The ten most recently changed shipments that need attention. `GET /shipments?needs_attention=true` lists them all.',
    },
  },
  { title: 'AttentionSummary' },
);

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
      'The account’s parcels, most recently changed first unless `sort` says otherwise. Filters can be combined. For the next page, send `next_cursor` as `cursor` with the same filters, until it is null. With `sort=-created_at`, parcels keep their places while you read. In the default order, a parcel that changes moves to the front. Use this, or the `poll_url` from `POST /track/async`, to follow many parcels at once.',
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

export const getAttention = defineOperation({
  method: 'get',
  path: '/attention',
  limit: 'account',
  repeat: 'safe',
  scope: 'read',
  input: null,
  request: NO_INPUT,
  response: attentionResponse,
  doc: {
    id: 'getAttention',
    tag: 'Shipments',
    summary: 'See what needs attention',
    summaryZh: '需要关注的包裹',
    description:
      'What needs attention: the account itself, the number of shipments for each reason, and the ten most recently changed ones. `GET /shipments` lists all shipments with a reason (`needs_attention`).',
    example: {
      response: {
        account: [
          {
            reason: 'endpoint_disabled',
            message: 'https://shop.example.cn/hook no longer receives pushes: the receiver responded with 410 Gone',
            webhook_id: '69a45f02b1c2d3e4f5061728',
          },
        ],
        reasons: [{ reason: 'customs', message: 'customs holds it', count: 1 }],
        newest: [
          {
            id: EXAMPLE_ID,
            tracking_number: EXAMPLE_NUMBER,
            carrier: 'yto',
            status: '异常',
            sub_status: 'exception',
            latest_event: {
              time: '2025-11-21T00:30:00Z',
              location: '杭州市',
              description: '清关异常，等待收件人补充资料',
              status: 'exception',
            },
            title: 'Blue jacket, size M',
            attention: { reason: 'customs', message: 'The parcel is held by customs.' },
            created_at: '2025-11-18T07:12:40Z',
            updated_at: '2025-11-21T00:34:12Z',
          },
        ],
      },
    },
  },
});
