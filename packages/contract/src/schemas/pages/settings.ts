import { GONE_AFTER_DAYS } from '@pts/core/page';
import { MAX_LOGO_BYTES, MAX_ORIGINS } from '@pts/core/page-brand';
import { freeText, id } from '../../common.ts';

const MAX_URL = 2048;
/** Base64 takes four characters for three bytes. */
const MAX_LOGO_CHARACTERS = 4 * Math.ceil(MAX_LOGO_BYTES / 3);

const enabled = {
  type: 'boolean',
  description:
    'Whether the parcels of the account have pages. While it is false, every link leads nowhere; turning it on again brings the same links back.',
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
    'The colour of links and of the progress, as `#rrggbb`. Its contrast on white must be at least 4.5:1; on the dark background it is lightened as needed.',
  examples: ['#1f5fbf'],
} as const;
const shopUrl = {
  ...freeText(MAX_URL),
  description: 'The https address of your shop. The logo leads there, and a page that has expired names it.',
  examples: ['https://shop.example'],
} as const;
const supportUrl = {
  ...freeText(MAX_URL),
  description: 'Where buyers ask for help: an https address, or `mailto:` and an e-mail address.',
  examples: ['mailto:help@shop.example'],
} as const;
const hideCarrier = {
  type: 'boolean',
  description:
    'Whether pages name no carrier and no tracking number. Steps then have our words instead of the carrier’s, which may name it.',
} as const;
const hidePlaces = {
  type: 'boolean',
  description:
    'Whether pages name no places. Steps then have our words instead of the carrier’s, which may name places.',
} as const;
const embedOrigins = {
  type: 'array',
  maxItems: MAX_ORIGINS,
  items: freeText(300),
  description: 'The https origins that may show pages in a frame (`/t/{token}/embed`); none if empty.',
  examples: [['https://shop.example']],
} as const;
const goneAfterDays = {
  type: 'integer',
  minimum: 1,
  maximum: 365,
  description: `Days after a parcel has been delivered or returned, has expired, was stopped on its way or has a number that its carrier rejected, from which on its page is gone (410). ${GONE_AFTER_DAYS} by default.`,
  examples: [GONE_AFTER_DAYS],
} as const;

/** GET and PATCH /account/pages: how the buyers' pages of the account look. */
export const pageSettings = {
  title: 'PageSettings',
  type: 'object',
  description: 'How the tracking pages for buyers look.',
  required: [
    'enabled',
    'name',
    'color',
    'shop_url',
    'support_url',
    'hide_carrier',
    'hide_places',
    'embed_origins',
    'gone_after_days',
    'logo',
  ],
  properties: {
    enabled,
    name: { ...name, type: ['string', 'null'] },
    color: { ...color, type: ['string', 'null'] },
    shop_url: { ...shopUrl, type: ['string', 'null'] },
    support_url: { ...supportUrl, type: ['string', 'null'] },
    hide_carrier: hideCarrier,
    hide_places: hidePlaces,
    embed_origins: embedOrigins,
    gone_after_days: goneAfterDays,
    logo: {
      title: 'PageLogo',
      type: ['object', 'null'],
      description: 'The size of the logo in pixels; null without one.',
      required: ['width', 'height'],
      properties: {
        width: { type: 'integer', description: 'Its width.', examples: [240] },
        height: { type: 'integer', description: 'Its height.', examples: [64] },
      },
    },
  },
} as const;

/** PATCH /account/pages: null clears. */
export const pageSettingsChange = {
  title: 'PageSettingsChange',
  type: 'object',
  properties: {
    enabled,
    name: { ...name, type: ['string', 'null'] },
    color: { ...color, type: ['string', 'null'] },
    shop_url: { ...shopUrl, type: ['string', 'null'] },
    support_url: { ...supportUrl, type: ['string', 'null'] },
    hide_carrier: hideCarrier,
    hide_places: hidePlaces,
    embed_origins: embedOrigins,
    gone_after_days: goneAfterDays,
    logo: {
      type: ['string', 'null'],
      maxLength: MAX_LOGO_CHARACTERS,
      pattern: '^[A-Za-z0-9+/]*={0,2}$',
      description:
        'A PNG image in base64, of at most 64 KiB and 2,000 pixels a side. The service stores and serves it.',
    },
  },
} as const;

export const trackingPageUrl = {
  type: 'string',
  description:
    'The address of the page for the buyer of this parcel, which anybody can open who has it. Present while the account has pages (`PATCH /account/pages`) and the link is not revoked.',
  examples: ['https://track.example.com/t/pX3nQm0b7Yd2kV9sT1cZrA'],
} as const;

/** POST and DELETE /trackings/{id}/page. */
export const pageLink = {
  title: 'TrackingPageLink',
  type: 'object',
  required: ['id', 'tracking_page_url'],
  properties: {
    id,
    tracking_page_url: {
      ...trackingPageUrl,
      type: ['string', 'null'],
      description: 'The new address; null if there is none.',
    },
  },
} as const;
