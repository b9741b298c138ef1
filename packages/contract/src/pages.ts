import { LANGUAGES } from '@pts/core/languages/texts';
import { GONE_AFTER_DAYS } from '@pts/core/page';
import { MAX_LOGO_BYTES, MAX_ORIGINS } from '@pts/core/page-brand';
import { freeText, OPTIONAL_FIELD_SCHEMAS, TRACKING_FIELD_SCHEMAS } from '@pts/core/tracking/fields';
import {
  ANY_CHANGE,
  documentedWith,
  EXAMPLE_ID,
  EXAMPLE_PAGE_URL,
  envelope,
  errorEnvelope,
  eventFields,
  id,
  instant,
  pieces,
  SUCCESS_MESSAGE,
  SUCCESS_NUMBER,
  status,
  subStatus,
  trackingEvent,
  trackingNumber,
} from './common.ts';
import { BODY_BYTES, LIMITS } from './limits.ts';
import { headerRefs, type References } from './openapi/components.ts';
import { defineOperation, NO_INPUT } from './operation.ts';
import { object, optional } from './schema.ts';
import { estimatedDelivery, trackingById, trackingPageUrl } from './trackings.ts';

const MAX_URL = 2048;
/** Base64 takes four characters for three bytes. */
const MAX_LOGO_CHARACTERS = 4 * Math.ceil(MAX_LOGO_BYTES / 3);

const enabled = {
  type: 'boolean',
  description:
    'Whether the parcels of the account have tracking pages. While it is false, no link works. Turning it on again restores the same links.',
} as const;
const name = {
  ...freeText(100),
  description: 'The name of your shop, as buyers know it.',
  examples: ['Hangzhou Jackets'],
};
const color = {
  type: 'string',
  pattern: '^#[0-9A-Fa-f]{6}$',
  description:
    'The colour of links and of the progress bar, as `#rrggbb`. Its contrast on white must be at least 4.5:1. On the dark background, it is lightened as needed.',
  examples: ['#1f5fbf'],
} as const;
const shopUrl = {
  ...freeText(MAX_URL),
  description: 'The https address of your shop. The logo and the message on an expired page link to it.',
  examples: ['https://shop.example'],
} as const;
const supportUrl = {
  ...freeText(MAX_URL),
  description: 'Where buyers ask for help: an https address, or `mailto:` and an e-mail address.',
  examples: ['mailto:help@shop.example'],
} as const;
const notifyUrl = {
  ...freeText(MAX_URL),
  description:
    'Where buyers subscribe to your own notifications: an https address, or `mailto:` and an e-mail address. Pages of parcels in transit link to it.',
  examples: ['https://shop.example/notify'],
} as const;
const hideOrder = {
  type: 'boolean',
  description: 'Whether pages leave out the product (`title`) and the order number (`order_id`).',
} as const;
const allowLookup = {
  type: 'boolean',
  description:
    'Whether buyers find their parcel by order number and postal code, at `lookup_url`, on the 404 of a former link and on the 410 of an expired page. Only parcels with both, `order_id` and `postal_code`, are found.',
} as const;
const hideCarrier = {
  type: 'boolean',
  description:
    'Whether pages hide the carrier and the tracking number. Events are then described in our words, because the words of the carrier may name it.',
} as const;
const hidePlaces = {
  type: 'boolean',
  description:
    'Whether pages hide places. Events are then described in our words, because the words of the carrier may name places.',
} as const;
const embedOrigins = {
  type: 'array',
  maxItems: MAX_ORIGINS,
  items: freeText(300),
  description: 'The https origins that can show pages in a frame (`/t/{token}/embed`). Empty for none.',
  examples: [['https://shop.example']],
} as const;
const goneAfterDays = {
  type: 'integer',
  minimum: 1,
  maximum: 365,
  description: `The number of days after which the page of a parcel is gone (410), counted from its delivery, return or expiry, from when polling was stopped, or from when the carrier rejected its number. Default: ${GONE_AFTER_DAYS}.`,
  examples: [GONE_AFTER_DAYS],
} as const;

/** GET and PATCH /account/pages: how the buyers' pages of the account look. */
const pageSettings = object(
  {
    enabled,
    name: { ...name, type: ['string', 'null'] },
    color: { ...color, type: ['string', 'null'] },
    shop_url: { ...shopUrl, type: ['string', 'null'] },
    support_url: { ...supportUrl, type: ['string', 'null'] },
    notify_url: { ...notifyUrl, type: ['string', 'null'] },
    hide_carrier: hideCarrier,
    hide_places: hidePlaces,
    hide_order: hideOrder,
    allow_lookup: allowLookup,
    lookup_url: {
      type: ['string', 'null'],
      description:
        'The page where buyers find their parcel by order number and postal code; null while `allow_lookup` or `enabled` is false.',
      examples: [EXAMPLE_PAGE_URL],
    },
    embed_origins: embedOrigins,
    gone_after_days: goneAfterDays,
    logo: {
      title: 'PageLogo',
      type: ['object', 'null'],
      description: 'The size of the logo in pixels; null if there is none.',
      required: ['width', 'height'],
      properties: {
        width: { type: 'integer', description: 'Its width.', examples: [240] },
        height: { type: 'integer', description: 'Its height.', examples: [64] },
      },
    },
  },
  { title: 'PageSettings', description: 'How the tracking pages for buyers look.' },
);

const LABEL = '[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?';
const HTTPS = `https://${LABEL}([.]${LABEL})*(:[0-9]{1,4})?([/?#][!-~]*)?`;
const MAILTO = `mailto:[A-Za-z0-9._-]+@${LABEL}([.]${LABEL})*`;

/** PATCH /account/pages: null clears. */
export const pageSettingsChange = documentedWith(
  {
    title: 'PageSettingsChange',
    type: 'object',
    properties: {
      enabled,
      name: { ...name, type: ['string', 'null'] },
      color: { ...color, type: ['string', 'null'] },
      shop_url: documentedWith({ ...shopUrl, type: ['string', 'null'] }, { pattern: `^${HTTPS}$` }),
      support_url: documentedWith({ ...supportUrl, type: ['string', 'null'] }, { pattern: `^(${HTTPS}|${MAILTO})$` }),
      notify_url: documentedWith({ ...notifyUrl, type: ['string', 'null'] }, { pattern: `^(${HTTPS}|${MAILTO})$` }),
      hide_carrier: hideCarrier,
      hide_places: hidePlaces,
      hide_order: hideOrder,
      allow_lookup: allowLookup,
      embed_origins: {
        ...embedOrigins,
        items: documentedWith(embedOrigins.items, { pattern: `^https://${LABEL}([.]${LABEL})*(:[0-9]{1,4})?$` }),
      },
      gone_after_days: goneAfterDays,
      logo: documentedWith(
        {
          type: ['string', 'null'],
          maxLength: MAX_LOGO_CHARACTERS,
          pattern: '^[A-Za-z0-9+/]*={0,2}$',
          description:
            'A PNG image in base64, of at most 64 KiB and at most 2,000 pixels on each side. The service stores and serves it.',
        },
        // Every PNG file begins with the same eight bytes.
        { pattern: '^iVBORw0KGgo[A-Za-z0-9+/]+={0,2}$', contentEncoding: 'base64', contentMediaType: 'image/png' },
      ),
    },
  },
  ANY_CHANGE,
);

/** POST and DELETE /trackings/{id}/page. */
const pageLink = object(
  {
    id,
    tracking_page_url: {
      ...trackingPageUrl,
      type: ['string', 'null'],
      description: 'The new address; null if there is none.',
    },
  },
  { title: 'TrackingPageLink' },
);

const text = (description: string, ...examples: string[]) => ({ type: 'string', description, examples }) as const;

/** GET /t/{token}.json: what the page says, in the reader's language. */
export const trackingPage = object(
  {
    lang: { title: 'PageLanguage', type: 'string', enum: LANGUAGES, description: 'The language of the texts.' },
    headline: text('The state of the parcel in one sentence.', 'Arriving today, Tue 4 March'),
    order: optional(
      object(
        {
          headline: text('The state of the order in one sentence.', '1 of 2 parcels have been delivered'),
          parcels: {
            type: 'array',
            description: 'The parcels of the order, including this one.',
            items: object(
              {
                headline: text('The state of the parcel in one sentence.', 'On its way'),
                status,
                sub_status: subStatus,
                sub_status_text: text('`sub_status` in the language of the page.', 'In transit'),
                tracking_number: {
                  ...trackingNumber,
                  type: ['string', 'null'],
                  description: 'The tracking number; null if the shop hides carriers.',
                },
                url: text('The page of the parcel, relative to the address of this page.', 'pX3nQm0b7Yd2kV9sT1cZrA'),
              },
              { title: 'TrackingPageParcel' },
            ),
          },
        },
        {
          title: 'TrackingPageOrder',
          description: 'The order. Absent unless several of its parcels have pages.',
        },
      ),
    ),
    notes: {
      type: 'array',
      items: { type: 'string' },
      description: 'Further sentences, such as that the parcel is late.',
    },
    problem: optional(OPTIONAL_FIELD_SCHEMAS.problem),
    problem_text: optional(text('`problem` in the language of the page.', 'Held by customs')),
    next_step: optional(text('What the buyer can do; absent if there is nothing to do.')),
    title: optional(text('The product; absent if it is not known or hidden.', 'Blue jacket, size M')),
    order_id: optional(text('The order number; absent if it is not known or hidden.', 'A-1001')),
    status,
    sub_status: subStatus,
    status_text: text('`status` in the language of the page.', 'Out for delivery'),
    sub_status_text: text('`sub_status` in the language of the page.', 'Out for delivery'),
    estimated_delivery: optional(estimatedDelivery),
    pieces: optional(pieces),
    delivered_to: optional(OPTIONAL_FIELD_SCHEMAS.delivered_to),
    delivered_to_text: optional(text('`delivered_to` in the language of the page.', 'a neighbour')),
    signed_by: optional(text('`•••` in place of the name of who signed, if its carrier states one.', '•••')),
    pickup_point: optional({
      ...OPTIONAL_FIELD_SCHEMAS.pickup_point,
      title: 'TrackingPagePickupPoint',
      properties: {
        ...OPTIONAL_FIELD_SCHEMAS.pickup_point.properties,
        map_url: text('The place on a map.', 'https://www.openstreetmap.org/search?query=Lipowa%201'),
      },
    }),
    carriers: {
      type: 'array',
      description: 'The carrier, and the next one after a hand-over. Empty if carriers are hidden or not known yet.',
      items: object(
        {
          name: text('Its name.', 'UPS'),
          tracking_number: {
            ...trackingNumber,
            type: ['string', 'null'],
            description: 'The number with this carrier; null if it is not known.',
          },
          url: text(
            'The page of the parcel on the website of the carrier, or else the website.',
            'https://www.ups.com/track?tracknum=1Z999AA10123456784',
          ),
        },
        { title: 'TrackingPageCarrier' },
      ),
    },
    steps: {
      type: 'array',
      description: 'The four steps of the parcel.',
      items: object(
        {
          step: text('Its name in this API.', 'out_for_delivery'),
          text: text('The name of the step in the language of the page.', 'Out for delivery'),
          state: {
            title: 'TrackingPageStepState',
            type: 'string',
            enum: ['done', 'current', 'todo'],
            description: 'The state of the step.',
          },
        },
        { title: 'TrackingPageStep' },
      ),
    },
    events: {
      type: 'array',
      description: 'The newest events, newest first. Names of people, phone numbers and codes are removed.',
      items: {
        ...trackingEvent,
        title: 'TrackingPageEvent',
        description: 'One scan of the parcel.',
        required: [...trackingEvent.required, 'text', 'local_time'],
        properties: {
          ...eventFields,
          text: text(
            'What happened, in the language of the page: in the words of the carrier if they are in that language, otherwise in ours.',
            'Out for delivery',
          ),
          lang: text('The language of `description` (BCP 47), if it is known.', 'en'),
          local_time: text('When it happened, in the local time of the scan, without a zone.', '2031-03-04T08:14:00'),
        },
      },
    },
    earlier_events: {
      type: 'integer',
      minimum: 0,
      description: 'The number of older events that the page does not list.',
    },
    updated_at: { ...instant, description: 'When the parcel last changed.' },
    shop: {
      title: 'TrackingPageShop',
      type: 'object',
      description: 'The shop. Empty if nothing is set.',
      properties: {
        name: text('Its name.', 'Hangzhou Jackets'),
        url: text('Its address.', 'https://shop.example'),
        support_url: text('Where to ask for help.', 'mailto:help@shop.example'),
        notify_url: text('Where to subscribe to notifications.', 'https://shop.example/notify'),
        logo_url: text('The logo, a PNG image, relative to the address of the page.', 'pX3nQm0b7Yd2kV9sT1cZrA/logo'),
      },
    },
  },
  {
    title: 'TrackingPage',
    description:
      'The tracking page of a parcel, as data. Of your own fields, it contains only the product and the order number.',
  },
);

const SETTINGS = {
  enabled: true,
  name: 'Hangzhou Jackets',
  color: '#1f5fbf',
  shop_url: 'https://shop.example/',
  support_url: 'mailto:help@shop.example',
  notify_url: 'https://shop.example/notify',
  hide_carrier: false,
  hide_places: false,
  hide_order: false,
  allow_lookup: true,
  lookup_url: EXAMPLE_PAGE_URL,
  embed_origins: ['https://shop.example'],
  gone_after_days: 90,
  logo: { width: 240, height: 64 },
};

export const getPages = defineOperation({
  method: 'get',
  path: '/account/pages',
  limit: 'account',
  repeat: 'safe',
  scope: 'read',
  input: null,
  request: NO_INPUT,
  response: pageSettings,
  doc: {
    id: 'getPages',
    tag: 'Pages',
    summary: 'Read the settings of your tracking pages',
    summaryZh: '读取查询页设置',
    example: { response: SETTINGS },
  },
});

export const updatePages = defineOperation({
  method: 'patch',
  path: '/account/pages',
  limit: 'account',
  repeat: 'safe',
  scope: 'admin',
  bodyBytes: BODY_BYTES.logo,
  input: 'body',
  request: pageSettingsChange,
  strict: true,
  response: pageSettings,
  doc: {
    id: 'updatePages',
    tag: 'Pages',
    summary: 'Change your tracking pages, or turn them on',
    summaryZh: '修改查询页设置',
    description:
      'Fields that you omit stay as they are, and null clears a field. Once `enabled` is true, all your parcels have a `tracking_page_url` for their buyers, including those registered before. Pushes include it only if the installation has a public address (`PUBLIC_BASE_URL`).',
    example: {
      request: { enabled: true, name: 'Hangzhou Jackets', color: '#1f5fbf', support_url: 'mailto:help@shop.example' },
      response: SETTINGS,
    },
  },
});

export const getOrderPage = defineOperation({
  method: 'get',
  path: '/orders/page',
  limit: 'trackings.one',
  repeat: 'safe',
  scope: 'read',
  input: 'query',
  request: object({
    order_id: { ...TRACKING_FIELD_SCHEMAS.order_id, minLength: 1, description: 'Your exact order number.' },
  }),
  response: object(
    {
      order_id: { ...TRACKING_FIELD_SCHEMAS.order_id, description: 'The order.' },
      tracking_page_url: {
        ...trackingPageUrl,
        type: ['string', 'null'],
        description:
          'The page of the order; null while your pages are off or if the links of all its parcels are revoked.',
      },
      parcels: { type: 'integer', minimum: 1, description: 'The number of parcels of the order.', examples: [2] },
    },
    { title: 'OrderPageLink' },
  ),
  doc: {
    id: 'getOrderPage',
    tag: 'Pages',
    summary: 'Read the link to the page of an order',
    summaryZh: '读取订单查询页的链接',
    description:
      'Returns the page of the first parcel of the order. The page of a parcel shows all parcels with the same `order_id` (up to 20), with one headline for the order.',
    errors: ['not_registered', 'invalid_field'],
    example: {
      request: { order_id: 'A-1001' },
      response: { order_id: 'A-1001', tracking_page_url: EXAMPLE_PAGE_URL, parcels: 2 },
    },
  },
});

export const renewPage = defineOperation({
  method: 'post',
  path: '/trackings/:id/page',
  limit: 'trackings.one',
  // Each makes another link.
  repeat: 'keyed',
  scope: 'write',
  input: 'params',
  request: trackingById,
  response: pageLink,
  doc: {
    id: 'renewPage',
    tag: 'Pages',
    summary: 'Renew the link to a tracking page',
    summaryZh: '更换查询页链接',
    description:
      'Old links of the parcel stop working. A parcel whose link was revoked has a link again. Fails with 4130 while your pages are off.',
    errors: ['invalid_id', 'not_found', 'invalid_field'],
    example: { response: { id: EXAMPLE_ID, tracking_page_url: EXAMPLE_PAGE_URL } },
  },
});

export const revokePage = defineOperation({
  method: 'delete',
  path: '/trackings/:id/page',
  limit: 'trackings.one',
  repeat: 'safe',
  scope: 'write',
  input: 'params',
  request: trackingById,
  response: pageLink,
  doc: {
    id: 'revokePage',
    tag: 'Pages',
    summary: 'Revoke the link to a tracking page',
    summaryZh: '撤销查询页链接',
    description: 'The link stops working at once and for good. `POST` creates a new one.',
    errors: ['invalid_id', 'not_found'],
    example: { response: { id: EXAMPLE_ID, tracking_page_url: null } },
  },
});

export const TRACKING_PAGE_PATH = '/t/{token}.json';

const EXAMPLE = {
  lang: 'en',
  headline: 'Arriving today, Tue 4 March, 14:00–16:00',
  notes: ['According to the carrier'],
  next_step: 'Nobody at home? The carrier usually tries again, or leaves it with a neighbour or at a pick-up point.',
  status: '派送中',
  sub_status: 'out_for_delivery',
  status_text: 'Out for delivery',
  sub_status_text: 'Out for delivery',
  estimated_delivery: { from: '2031-03-04T13:00:00Z', to: '2031-03-04T15:00:00Z', source: 'carrier' },
  carriers: [
    {
      name: 'UPS',
      tracking_number: '1Z999AA10123456784',
      url: 'https://www.ups.com/track?tracknum=1Z999AA10123456784',
    },
  ],
  steps: [
    { step: 'announced', text: 'Label created', state: 'done' },
    { step: 'in_transit', text: 'On its way', state: 'done' },
    { step: 'out_for_delivery', text: 'Out for delivery', state: 'current' },
    { step: 'delivered', text: 'Delivered', state: 'todo' },
  ],
  events: [
    {
      time: '2031-03-04T07:14:00Z',
      location: 'Kiel, Germany',
      description: 'Out for delivery with your courier •••',
      status: 'out_for_delivery',
      text: 'Out for delivery with your courier •••',
      lang: 'en',
      local_time: '2031-03-04T08:14:00',
    },
  ],
  earlier_events: 5,
  updated_at: '2031-03-04T07:15:10Z',
  shop: { name: 'Nordlicht Outfitters', url: 'https://shop.example', support_url: 'mailto:help@shop.example' },
};

/** Why there is no page. */
const NONE = {
  404: 'The link is wrong, was renewed or revoked, or belongs to a shop whose pages are off.',
  410: 'The delivery ended too long ago.',
  429: 'Too many requests from this network. Wait for `Retry-After` seconds.',
  503: 'The database cannot be reached at the moment. Try again after `Retry-After` seconds.',
};

/** The page of a parcel as data. It is not below the prefix of the other operations, and needs no key. */
export function trackingPageOperation(references: References, root: string) {
  const failures = Object.entries(NONE).map(([status, description]) => [
    status,
    {
      description,
      headers: headerRefs(['X-Request-Id']),
      content: { 'application/json': { schema: references.refer(errorEnvelope) } },
    },
  ]);
  return {
    operationId: 'readTrackingPage',
    tags: ['Pages'],
    summary: 'Read a tracking page as data',
    description: `The content of \`tracking_page_url\`, for shops that build their own page. Append \`.json\` to the address. Anybody who has the address can read it.\n\n**Limit:** ${LIMITS.pages} requests per second for each network.`,
    servers: [{ url: root === '' ? '/' : root, description: 'Without the prefix of the API' }],
    security: [],
    parameters: [
      {
        name: 'token',
        in: 'path',
        required: true,
        description: 'The last part of `tracking_page_url`.',
        schema: { type: 'string' },
        example: 'pX3nQm0b7Yd2kV9sT1cZrA',
      },
      {
        name: 'lang',
        in: 'query',
        required: false,
        description: `The language of the page: ${LANGUAGES.join(', ')}. Without it, \`Accept-Language\` decides. The default is English.`,
        schema: { type: 'string' },
        example: 'de',
      },
    ],
    responses: {
      200: {
        description: 'The page.',
        headers: headerRefs(['X-Request-Id', 'ETag']),
        content: {
          'application/json': {
            schema: references.refer({ title: 'ReadTrackingPageEnvelope', ...envelope(trackingPage) }),
            example: { code: SUCCESS_NUMBER, meta: SUCCESS_NUMBER, message: SUCCESS_MESSAGE, data: EXAMPLE },
          },
        },
      },
      ...Object.fromEntries(failures),
    },
    'x-rate-limit': { name: 'pages', requests: LIMITS.pages, seconds: 1, per: 'network' },
  };
}
