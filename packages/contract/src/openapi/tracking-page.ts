import { LANGUAGES } from '@pts/core/languages/texts';
import { envelope, errorEnvelope, SUCCESS_MESSAGE, SUCCESS_NUMBER } from '../common.ts';
import { LIMITS } from '../limits.ts';
import { trackingPage as schema } from '../schemas/pages/tracking-page.ts';
import type { References } from './components.ts';
import { headerRefs } from './headers.ts';

export const TRACKING_PAGE_PATH = '/t/{token}.json';

const EXAMPLE = {
  lang: 'en',
  headline: 'Arriving today, Tue 4 March, 14:00–16:00 (carrier)',
  notes: [],
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
    { step: 'announced', text: 'Announced', state: 'done' },
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
  404: 'The link is wrong, was renewed or revoked, or its shop has no pages.',
  410: 'The delivery ended too long ago.',
  429: 'Too many requests from this network. Wait for `Retry-After` seconds.',
  503: 'The database cannot be reached at the moment. Try again after `Retry-After` seconds.',
};

/** The page of a parcel as data. It is not below the prefix of the other operations, and needs no key. */
export function trackingPage(references: References, root: string) {
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
    description: `What \`tracking_page_url\` shows, for shops that draw it themselves: append \`.json\` to it. Anybody who has the address can read it.\n\n**Limit:** ${LIMITS.pages} requests per second for each network.`,
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
        description: `The language of the page: ${LANGUAGES.join(', ')}. Without it, \`Accept-Language\` decides; English otherwise.`,
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
            schema: references.refer({ title: 'ReadTrackingPageEnvelope', ...envelope(schema) }),
            example: { code: SUCCESS_NUMBER, meta: SUCCESS_NUMBER, message: SUCCESS_MESSAGE, data: EXAMPLE },
          },
        },
      },
      ...Object.fromEntries(failures),
    },
    'x-rate-limit': { name: 'pages', requests: LIMITS.pages, seconds: 1, per: 'network' },
  };
}
