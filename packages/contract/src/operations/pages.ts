import { BODY_BYTES } from '../body-limits.ts';
import { defineOperation, NO_INPUT } from '../operation.ts';
import { pageLink, pageSettings, pageSettingsChange } from '../schemas/pages/settings.ts';
import { trackingById } from '../schemas/trackings.ts';
import { EXAMPLE_ID, EXAMPLE_PAGE_URL } from './examples.ts';

const SETTINGS = {
  enabled: true,
  name: 'Hangzhou Jackets',
  color: '#1f5fbf',
  shop_url: 'https://shop.example/',
  support_url: 'mailto:help@shop.example',
  hide_carrier: false,
  hide_places: false,
  embed_origins: ['https://shop.example'],
  gone_after_days: 90,
  logo: { width: 240, height: 64 },
};

/** How the buyers' pages of an account look. */
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

/** Turns the buyers' pages of an account on or off, and changes how they look. */
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
      'Omitted fields stay, null clears. Once `enabled` is true, records and pushes of your parcels have a `tracking_page_url` for their buyers, also of those registered before. Pushes have it only where the installation has a public address (`PUBLIC_BASE_URL`).',
    example: {
      request: { enabled: true, name: 'Hangzhou Jackets', color: '#1f5fbf', support_url: 'mailto:help@shop.example' },
      response: SETTINGS,
    },
  },
});

/** Gives a parcel a new link to its page. */
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
      'Former links of the parcel lead nowhere from then on. A revoked parcel has a link again. Fails with 4130 while your pages are off.',
    errors: ['not_registered', 'invalid_id', 'not_found', 'invalid_field'],
    example: { response: { id: EXAMPLE_ID, tracking_page_url: EXAMPLE_PAGE_URL } },
  },
});

/** Revokes the link to the page of a parcel. */
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
    description: 'The link leads nowhere at once, for good; `POST` creates another one.',
    errors: ['not_registered', 'invalid_id', 'not_found'],
    example: { response: { id: EXAMPLE_ID, tracking_page_url: null } },
  },
});
