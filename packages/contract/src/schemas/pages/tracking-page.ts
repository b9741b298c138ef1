import { LANGUAGES } from '@pts/core/languages/texts';
import { instant, pieces, status, subStatus, trackingEvent, trackingNumber } from '../../common.ts';
import { estimatedDelivery } from '../estimated-delivery.ts';

const text = (description: string, ...examples: string[]) => ({ type: 'string', description, examples }) as const;

/** GET /t/{token}.json: what the page says, in the reader's language. */
export const trackingPage = {
  title: 'TrackingPage',
  type: 'object',
  description:
    'The page of a parcel for its buyer, as data. It has nothing of the order, the account or the recipient.',
  required: [
    'lang',
    'headline',
    'notes',
    'status',
    'sub_status',
    'status_text',
    'sub_status_text',
    'carriers',
    'steps',
    'events',
    'earlier_events',
    'updated_at',
    'shop',
  ],
  properties: {
    lang: { type: 'string', enum: LANGUAGES, description: 'The language of the texts.' },
    headline: text('The state of the parcel in one sentence.', 'Arriving today, Tue 4 March (carrier)'),
    notes: { type: 'array', items: { type: 'string' }, description: 'Further sentences, such as that it is late.' },
    next_step: text('What the buyer can do; absent if there is nothing to do.'),
    status,
    sub_status: subStatus,
    status_text: text('`status` in the language of the page.', 'Out for delivery'),
    sub_status_text: text('`sub_status` in the language of the page.', 'Out for delivery'),
    estimated_delivery: estimatedDelivery,
    pieces,
    carriers: {
      type: 'array',
      description: 'The carrier, and after a hand-over the next one; empty if it is hidden or not known yet.',
      items: {
        title: 'TrackingPageCarrier',
        type: 'object',
        required: ['name', 'tracking_number', 'url'],
        properties: {
          name: text('Its name.', 'UPS'),
          tracking_number: {
            ...trackingNumber,
            type: ['string', 'null'],
            description: 'The number with this carrier; null if it is not known.',
          },
          url: text(
            'The page of the parcel on its website, or the website.',
            'https://www.ups.com/track?tracknum=1Z999AA10123456784',
          ),
        },
      },
    },
    steps: {
      type: 'array',
      description: 'The four steps of the parcel.',
      items: {
        title: 'TrackingPageStep',
        type: 'object',
        required: ['step', 'text', 'state'],
        properties: {
          step: text('Its name in this API.', 'out_for_delivery'),
          text: text('Its name in the language of the page.', 'Out for delivery'),
          state: { type: 'string', enum: ['done', 'current', 'todo'], description: 'Whether it is done.' },
        },
      },
    },
    events: {
      type: 'array',
      description: 'The newest events, newest first, without names of people, phone numbers and codes.',
      items: {
        ...trackingEvent,
        title: 'TrackingPageEvent',
        description: 'One scan of the parcel.',
        required: [...trackingEvent.required, 'local_time'],
        properties: {
          ...trackingEvent.properties,
          lang: text('The language of `description` (BCP 47), as far as it is known.', 'en'),
          local_time: text('When it happened, at the place of the scan, without a zone.', '2031-03-04T08:14:00'),
        },
      },
    },
    earlier_events: { type: 'integer', minimum: 0, description: 'Older events that the page does not list.' },
    updated_at: { ...instant, description: 'The time of the last news.' },
    shop: {
      title: 'TrackingPageShop',
      type: 'object',
      description: 'The shop; empty if it has not introduced itself.',
      properties: {
        name: text('Its name.', 'Hangzhou Jackets'),
        url: text('Its address.', 'https://shop.example'),
        support_url: text('Where to ask for help.', 'mailto:help@shop.example'),
        logo_url: text('Its logo, a PNG image, relative to the address of the page.', 'pX3nQm0b7Yd2kV9sT1cZrA/logo'),
      },
    },
  },
} as const;
