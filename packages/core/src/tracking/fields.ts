import { hash } from 'node:crypto';
import { type Language, TEXTS } from '../languages/texts.ts';
import type { Milestones } from './derive.ts';
import { keyOf } from './match.ts';
import {
  HANDED_TO,
  localTimeOf,
  type ParcelProblem,
  type PickupPoint,
  PROBLEMS,
  type Proof,
  type Scan,
  type TrackingEvent,
  toTrackingEvent,
  ZONE_SOURCES,
} from './scan.ts';

/** Free text of a merchant, without control characters. */
export function freeText(maxLength: number) {
  return { type: 'string', maxLength, pattern: '^[^\\x00-\\x1f\\x7f]*$' } as const;
}

/**
 * The fields that a merchant may send with a number besides its carrier: all of them are returned, and can be changed.
 * The contract, the columns of imports and the arguments of agents follow from these rows: `schema` is the field in
 * requests and responses, `column` is how the reference names its column and one usual header of it, and `headers` are
 * the usual headers without spaces and punctuation, the most specific first. The column of a field in the database is
 * named in packages/db/src/trackings/inputs.ts.
 */
export const TRACKING_FIELDS = {
  phone: {
    schema: {
      type: 'string',
      maxLength: 40,
      pattern: '^([+(]{0,2}[0-9]([ ().-]{0,3}[0-9]){3,14})?$',
      // Empty counts as left out.
      description:
        "The recipient's or sender's phone number, or its last four digits. Required for carriers that list `phone` in `tracking_required_fields` (`GET /couriers/all`).",
      examples: ['5678'],
    },
    column: ['phone number', '手机'],
    headers: [
      'recipientphone',
      'receiverphone',
      'shippingphone',
      'phone',
      'phonenumber',
      'mobile',
      'mobilenumber',
      'telephone',
      'tel',
      'customerphone',
      'phonelast4',
      '收件人手机',
      '收件人手机号',
      '收件人电话',
      '收货人手机',
      '收货人电话',
      '手机',
      '手机号',
      '手机号码',
      '联系手机',
      '联系电话',
      '电话',
      '电话号码',
    ],
  },
  postal_code: {
    schema: {
      ...freeText(20),
      description: "The recipient's postal code, for carriers that require it.",
      examples: ['310000'],
    },
    column: ['postal code', 'Zip'],
    headers: ['postalcode', 'postcode', 'zipcode', 'zip', 'shippingzip', '邮编', '邮政编码', '收件人邮编'],
  },
  destination_country: {
    schema: {
      type: 'string',
      pattern: '^([A-Za-z]{2})?$',
      description: 'The destination country (ISO 3166-1 alpha-2). An empty text counts as omitted.',
      examples: ['CN'],
    },
    column: ['destination country', 'Country'],
    headers: [
      'destinationcountry',
      'destination',
      'shippingcountry',
      'countrycode',
      'country',
      '目的国',
      '目的国家',
      '目的地国家',
      '收件国家',
      '国家代码',
      '国家',
    ],
  },
  order_id: {
    schema: { ...freeText(100), description: 'Your own order number.', examples: ['A-1001'] },
    column: ['order number', '订单号'],
    headers: [
      'orderid',
      'ordernumber',
      'orderno',
      'ordernum',
      'order',
      '订单号',
      '订单编号',
      '订单号码',
      '订单id',
      '主订单编号',
    ],
  },
  title: {
    schema: { ...freeText(200), description: 'A display name for the parcel.', examples: ['Blue jacket, size M'] },
    column: ['title', 'Product'],
    headers: [
      'title',
      'productname',
      'product',
      'lineitemname',
      'itemname',
      'item',
      'description',
      'name',
      '标题',
      '商品名称',
      '商品标题',
      '货品标题',
      '宝贝标题',
      '商品',
      '品名',
      '产品名称',
    ],
  },
  metadata: {
    schema: {
      title: 'Metadata',
      type: 'object',
      maxProperties: 10,
      propertyNames: { maxLength: 40, pattern: '^[^\\x00-\\x1f]+$' },
      additionalProperties: freeText(256),
      description: 'Up to ten key-value pairs of your own, returned unchanged.',
      examples: [{ shop: 'hangzhou' }],
    },
    column: ['metadata, as JSON', 'metadata'],
    headers: ['metadata'],
  },
} as const;

export type TrackingField = keyof typeof TRACKING_FIELDS;
export const TRACKING_FIELD_NAMES = Object.keys(TRACKING_FIELDS) as readonly TrackingField[];

/** The schemas of the fields, by name. */
export const TRACKING_FIELD_SCHEMAS = Object.fromEntries(
  Object.entries(TRACKING_FIELDS).map(([name, { schema }]) => [name, schema]),
) as { readonly [K in TrackingField]: (typeof TRACKING_FIELDS)[K]['schema'] };

/**
 * The groups of fields that an answer, a push or an event has only if `include` names them: that of the request, or of
 * the account.
 */
export const INCLUDES = {
  problem: 'what is wrong with the parcel',
  milestones: 'when it was picked up, went out for delivery, was first attempted and delivered',
  proof: 'to whom it was delivered, and who signed',
  scans: 'for each event an id, its place, its local time, the code of the carrier and its problem',
  links: 'the page of the parcel on the site of its carrier',
  pickup: 'where the recipient picks the parcel up',
} as const;
export type Include = keyof typeof INCLUDES;
export const INCLUDE_NAMES = Object.keys(INCLUDES) as [Include, ...Include[]];

/** The parts of a parcel that optional fields are made of. */
export type FieldSource = {
  problem?: ParcelProblem | null | undefined;
  milestones?: Milestones | null | undefined;
  proof?: Proof | null | undefined;
  pickupPoint?: PickupPoint | null | undefined;
  carrierUrl?: string | null | undefined;
};

const instant = {
  type: 'string',
  format: 'date-time',
  examples: ['2025-11-21T00:30:00Z'],
} as const;

type OptionalField = {
  include: Include;
  schema: { readonly description: string; readonly [keyword: string]: unknown };
  of(parcel: FieldSource, language: Language | null): unknown;
};

const DAY_MS = 86_400_000;

/**
 * The fields of trackings, shipments and pushes that `include` adds, in their order: answers, pushes, the contract and
 * the columns of exports follow from these rows.
 */
const OPTIONAL_FIELDS = {
  problem: {
    include: 'problem',
    schema: {
      title: 'Problem',
      type: 'string',
      enum: PROBLEMS,
      description:
        'The problem of the parcel, or the problem that the event reports. Absent if there is none. A parcel that is only `delayed`, or late because of the `weather`, is not an exception. More may be added.',
    },
    of: ({ problem }) => problem,
  },
  problem_text: {
    include: 'problem',
    schema: {
      type: 'string',
      description: '`problem` in words, in the language of the request. Absent if the request names no language.',
      examples: ['Held by customs'],
    },
    of: ({ problem }, language) => (problem && language ? TEXTS[language].problem[problem] : undefined),
  },
  picked_up_at: {
    include: 'milestones',
    schema: { ...instant, description: 'When the carrier received the parcel.' },
    of: ({ milestones }) => milestones?.pickedUpAt,
  },
  out_for_delivery_at: {
    include: 'milestones',
    schema: { ...instant, description: 'When the parcel first went out for delivery.' },
    of: ({ milestones }) => milestones?.outForDeliveryAt,
  },
  first_attempt_at: {
    include: 'milestones',
    schema: { ...instant, description: 'When delivery was first attempted, with or without success.' },
    of: ({ milestones }) => milestones?.firstAttemptAt,
  },
  delivered_at: {
    include: 'milestones',
    schema: { ...instant, description: 'When the parcel was delivered. Absent again if the delivery is withdrawn.' },
    of: ({ milestones }) => milestones?.deliveredAt,
  },
  transit_days: {
    include: 'milestones',
    schema: {
      type: 'integer',
      minimum: 0,
      description: 'Days from `picked_up_at` to `delivered_at`, rounded to whole days.',
      examples: [3],
    },
    of: ({ milestones }) => transitDays(milestones ?? {}),
  },
  delivered_to: {
    include: 'proof',
    schema: {
      title: 'DeliveredTo',
      type: 'string',
      enum: HANDED_TO,
      description:
        'To whom or where a delivered parcel was handed over. Absent if the carrier does not say. More may be added.',
    },
    of: ({ proof }) => proof?.to,
  },
  signed_by: {
    include: 'proof',
    schema: {
      type: 'string',
      description: 'The name of the person who signed for the parcel, as the carrier writes it.',
      examples: ['HOLT'],
    },
    of: ({ proof }) => proof?.signedBy,
  },
  proof_urls: {
    include: 'proof',
    schema: {
      type: 'array',
      items: { type: 'string' },
      description: 'The addresses of images and documents that prove the delivery, if the carrier publishes any.',
    },
    of: ({ proof }) => proof?.urls,
  },
  carrier_url: {
    include: 'links',
    schema: {
      type: 'string',
      description:
        'The page of the parcel on the website of its carrier. Absent if no such page is known, or while the carrier is not known.',
      examples: ['https://www.ups.com/track?tracknum=1Z5R89390357567127'],
    },
    of: ({ carrierUrl }) => carrierUrl,
  },
  pickup_point: {
    include: 'pickup',
    schema: {
      title: 'PickupPoint',
      type: 'object',
      description:
        'The shop, branch or locker where the recipient can pick up the parcel, in the words of the carrier. Absent if the carrier states none, and once the parcel has been picked up.',
      properties: {
        name: { type: 'string', description: 'Its name.', examples: ['FEN01A, Przy sklepie'] },
        address: { type: 'string', description: 'Its address.', examples: ['Lipowa 1, 00-001 Lipowo'] },
        opening_hours: { type: 'string', description: 'When it is open.', examples: ['24/7'] },
        latitude: { type: 'number', description: 'Its latitude in degrees.', examples: [52.1] },
        longitude: { type: 'number', description: 'Its longitude in degrees.', examples: [20.9] },
      },
    },
    of: ({ pickupPoint }) => pickupPoint && viewPickupPoint(pickupPoint),
  },
} as const satisfies Record<string, OptionalField>;

type OptionalName = keyof typeof OPTIONAL_FIELDS;
export type OptionalFields = { [K in OptionalName]?: NonNullable<ReturnType<(typeof OPTIONAL_FIELDS)[K]['of']>> };

/** The schemas of the optional fields, by name. */
export const OPTIONAL_FIELD_SCHEMAS = Object.fromEntries(
  Object.entries(OPTIONAL_FIELDS).map(([name, { schema }]) => [name, schema]),
) as { readonly [K in OptionalName]: (typeof OPTIONAL_FIELDS)[K]['schema'] };

/** The optional fields of a parcel that are included. */
export function optionalFields(
  parcel: FieldSource,
  include: readonly Include[],
  language: Language | null,
): OptionalFields {
  if (include.length === 0) return {};
  const fields: Record<string, unknown> = {};
  for (const [name, row] of Object.entries<OptionalField>(OPTIONAL_FIELDS)) {
    const value = include.includes(row.include) ? row.of(parcel, language) : undefined;
    if (value !== undefined && value !== null) fields[name] = value;
  }
  return fields;
}

/** The names of the optional fields that are included, without their texts: the columns of an export. */
export function optionalColumns(include: readonly Include[]): string[] {
  const isText = (name: string) => name.endsWith('_text');
  return Object.entries<OptionalField>(OPTIONAL_FIELDS)
    .filter(([name, row]) => include.includes(row.include) && !isText(name))
    .map(([name]) => name);
}

/** A pick-up point as it is shown. */
export function viewPickupPoint({ openingHours, ...same }: PickupPoint) {
  return { ...same, ...(openingHours !== undefined && { opening_hours: openingHours }) };
}

function transitDays({ pickedUpAt, deliveredAt }: Milestones): number | undefined {
  if (pickedUpAt === undefined || deliveredAt === undefined) return undefined;
  return Math.max(0, Math.round((Date.parse(deliveredAt) - Date.parse(pickedUpAt)) / DAY_MS));
}

type EventField = {
  schema: { readonly description: string; readonly [keyword: string]: unknown };
  of(scan: Scan, trackingId: string): unknown;
};

/** The fields that `scans` adds to the four of an event. */
const EVENT_FIELDS = {
  id: {
    schema: {
      type: 'string',
      pattern: '^[0-9a-f]{24}$',
      description:
        'The id of the event. It stays the same in later checks, even if the carrier corrects the time or the text.',
      examples: ['5b0e9d47c1a2f38866d1e0a4'],
    },
    of: (scan, trackingId) => hash('sha256', trackingId + keyOf(scan)).slice(0, 24),
  },
  city: {
    schema: { type: 'string', description: 'The town, if the carrier names it.', examples: ['Kiel'] },
    of: ({ place }) => place?.city,
  },
  region: {
    schema: { type: 'string', description: 'The state or province, if the carrier names it.', examples: ['SH'] },
    of: ({ place }) => place?.region,
  },
  country: {
    schema: {
      type: 'string',
      pattern: '^[A-Z]{2}$',
      description: 'The country, ISO 3166-1 alpha-2, if the carrier names it.',
      examples: ['DE'],
    },
    of: ({ place }) => place?.country,
  },
  local_time: {
    schema: {
      type: 'string',
      description:
        '`time` in the local time of the place, with the offset. Absent if the carrier states it only in UTC.',
      examples: ['2025-11-21T08:30:00+08:00'],
    },
    of: (scan) => localTimeOf(scan),
  },
  zone_source: {
    schema: {
      title: 'ZoneSource',
      type: 'string',
      enum: ZONE_SOURCES,
      description:
        '`carrier`: the carrier stated the offset. `location`: it was derived from the place. `default`: the home time zone of the carrier was assumed.',
    },
    of: ({ zoneSource }) => zoneSource,
  },
  carrier_code: {
    schema: {
      type: 'string',
      description: 'The code of the event, as given by the carrier or the provider.',
      examples: ['OF'],
    },
    of: ({ code }) => code,
  },
  problem: {
    schema: OPTIONAL_FIELDS.problem.schema,
    of: ({ problem }) => problem,
  },
} as const satisfies Record<string, EventField>;

type EventName = keyof typeof EVENT_FIELDS;
/** An event with the fields of `scans`, if they are included. */
export type ViewedEvent = TrackingEvent & {
  [K in EventName]?: NonNullable<ReturnType<(typeof EVENT_FIELDS)[K]['of']>>;
};

/** The schemas of the fields that `scans` adds to an event, by name. */
export const EVENT_FIELD_SCHEMAS = Object.fromEntries(
  Object.entries(EVENT_FIELDS).map(([name, { schema }]) => [name, schema]),
) as { readonly [K in EventName]: (typeof EVENT_FIELDS)[K]['schema'] };

/** A scan of a tracking as it is shown, with the fields of `scans` if they are included. */
export function viewEvent(scan: Scan, trackingId: string, include: readonly Include[]): ViewedEvent {
  const event = toTrackingEvent(scan);
  if (!include.includes('scans')) return event;
  const fields = Object.entries<EventField>(EVENT_FIELDS).map(
    ([name, { of }]) => [name, of(scan, trackingId)] as const,
  );
  return { ...event, ...Object.fromEntries(fields.filter(([, value]) => value !== undefined && value !== null)) };
}
