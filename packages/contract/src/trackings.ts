import { ESTIMATE_SOURCES } from '@pts/core/estimates';
import { freeText, OPTIONAL_FIELD_SCHEMAS, TRACKING_FIELD_SCHEMAS } from '@pts/core/tracking/fields';
import {
  ANY_CHANGE,
  always,
  candidateCodes,
  carrierCode,
  detectedCarrier,
  docsUrl,
  documentedWith,
  EXAMPLE_ID,
  EXAMPLE_NUMBER,
  eventsLang,
  id,
  include,
  instant,
  instantOrNull,
  lang,
  pieces,
  reason,
  status,
  statusTexts,
  subStatus,
  TRACKING_EXAMPLE,
  TYPED_NUMBER,
  trackingEvent,
  trackingNumber,
  warnings,
  withDryRun,
} from './common.ts';
import { MAX_NUMBERS } from './limits.ts';
import { defineOperation } from './operation.ts';
import { object, optional } from './schema.ts';

/** The optional fields of a registration. */
export const registrationInputs = {
  courier_code: {
    ...freeText(40),
    description: 'The carrier. Omit it, or send `auto`, to detect the carrier.',
    examples: ['yto'],
  },
  ...TRACKING_FIELD_SCHEMAS,
} as const;

type OrNull<S> = {
  readonly [K in keyof S]: S[K] extends { readonly type: infer T }
    ? Omit<S[K], 'type'> & { readonly type: readonly [T, 'null'] }
    : never;
};

/** Returns the given fields, each of which may also be null. */
function orNull<const S extends Readonly<Record<string, { readonly type: string }>>>(fields: S): OrNull<S> {
  const entries = Object.entries(fields).map(([name, field]) => [name, { ...field, type: [field.type, 'null'] }]);
  return Object.fromEntries(entries);
}

/** Two forms, so neither `date` nor `date-time`: a generated client would refuse the other one. */
const dayOrInstant = { type: 'string', minLength: 10, maxLength: 20 } as const;

/** When delivery is expected. */
export const estimatedDelivery = object(
  {
    from: { ...dayOrInstant, description: 'The earliest expected time.', examples: ['2031-04-08'] },
    to: { ...dayOrInstant, description: 'The latest expected time.', examples: ['2031-04-09'] },
    source: {
      title: 'EstimateSource',
      type: 'string',
      enum: ESTIMATE_SOURCES,
      description:
        '`carrier`: the estimate of the carrier. `history`: computed from similar parcels, 80 % of which arrived within the window.',
      examples: ['carrier'],
    },
  },
  {
    title: 'EstimatedDelivery',
    description:
      'When delivery is expected. `from` and `to` are either both dates at the destination (`2031-04-08`) or both times in UTC (`2031-04-08T14:00:00Z`). Absent if there is no estimate, and once the parcel has been delivered or returned.',
  },
);

/** How a parcel is tracked. More modes may be added. */
const WATCH_MODES = ['polled', 'pushed', 'final_look', 'stopped'] as const;
export type WatchMode = (typeof WATCH_MODES)[number];

/** How a tracking is polled. */
export const watch = object(
  {
    mode: {
      type: 'string',
      description:
        '`polled`: its carrier is checked regularly. `pushed`: its updates are pushed to the service, and checks are only a safety net. `final_look`: it has arrived and is checked one last time. `stopped`: polling has stopped, and a retrack resumes it. More values may be added.',
      examples: ['polled'],
    },
    interval_seconds: {
      type: ['integer', 'null'],
      description:
        'The seconds between two checks, ±10 %: 300 while the account has an enabled webhook, otherwise 3600, and 21600 if updates are pushed, but never less than the provider allows. Installations can change these values. Null if checks are not regular.',
      examples: [300],
    },
  },
  { title: 'TrackingWatch', description: 'How the parcel is tracked, and how fresh its data is.' },
);

export const trackingPageUrl = {
  type: 'string',
  description:
    'The tracking page for the buyer of this parcel. Anybody who has the address can open it. Present while tracking pages are on (`PATCH /account/pages`) and the link is not revoked.',
  examples: ['https://track.example.com/t/pX3nQm0b7Yd2kV9sT1cZrA'],
} as const;

const notice = {
  type: 'string',
  description: 'Why the carrier has no data, and what to do about it. Absent if it has data.',
  examples: ['The carrier does not know this number as one of its own.'],
} as const;

/** POST /trackings/create: a number and its optional fields. */
export const createRequest = {
  title: 'TrackingInput',
  type: 'object',
  required: ['tracking_number'],
  properties: {
    tracking_number: {
      type: 'string',
      description:
        'The number, as printed: 5 to 50 letters and digits, at least one of them a digit. Spaces and hyphens are removed, letters become upper case.',
      examples: ['YT8962646785999'],
    },
    ...registrationInputs,
  },
} as const;

/** Whether the request is a dry run. */
export const dryRun = {
  type: 'boolean',
  description:
    'If true, the response only says what a registration would do. Nothing is stored, charged or sent to a carrier.',
} as const;

/** The body of POST /trackings/create. */
export const createBody = {
  ...createRequest,
  title: 'Registration',
  properties: {
    ...createRequest.properties,
    // Bulk calls report each invalid number.
    tracking_number: documentedWith(createRequest.properties.tracking_number, TYPED_NUMBER),
    dry_run: dryRun,
  },
} as const;

/** The merchant's fields in responses: a phone that was stored before a rule is no fault. */
const storedFields = {
  ...TRACKING_FIELD_SCHEMAS,
  phone: { ...freeText(40), description: TRACKING_FIELD_SCHEMAS.phone.description, examples: ['5678'] },
} as const;

export const createdTracking = {
  type: 'object',
  required: ['id', 'tracking_number', 'carrier', 'status', 'created', 'charged'],
  properties: {
    id,
    tracking_number: trackingNumber,
    carrier: carrierCode,
    status,
    detected_carrier: detectedCarrier,
    candidates: candidateCodes,
    created: {
      type: 'boolean',
      description: 'Whether the tracking is new; false if it was already registered. Absent in a dry run.',
      examples: [true],
    },
    charged: {
      type: 'integer',
      minimum: 0,
      maximum: 1,
      description: 'The units of quota that were used. Absent in a dry run.',
      examples: [1],
    },
    ...storedFields,
    warnings,
  },
} as const;

/** The result of a dry run: `id` is that of the existing tracking, `would_charge` is in units of quota. */
export const dryRunTracking = object({
  dry_run: { ...always, description: 'True in a dry run: nothing was changed. Absent otherwise.' },
  id: {
    ...id,
    type: ['string', 'null'],
    description: 'The id of the tracking; null only in a dry run, if the number is not registered.',
  },
  tracking_number: trackingNumber,
  carrier: carrierCode,
  status,
  detected_carrier: optional(detectedCarrier),
  candidates: optional(candidateCodes),
  would_charge: {
    type: 'integer',
    minimum: 0,
    maximum: 1,
    description: 'The units of quota that would be used. Present only in a dry run.',
  },
  warnings: optional(warnings),
});

export const createResponse = withDryRun(
  'RegistrationOutcome',
  'A registered number with its stored fields, or in a dry run, what a registration would do.',
  createdTracking,
  dryRunTracking,
);

const getQuery = {
  type: 'object',
  if: { required: ['order_ids'] },
  else: { required: ['tracking_numbers'] },
  properties: {
    tracking_numbers: documentedWith(
      {
        type: 'string',
        maxLength: 4000,
        description: 'One tracking number, or up to 40, separated by commas. Required without `order_ids`.',
        examples: ['YT8962646785999,ZJS000123456'],
      },
      { pattern: `^[, ]*[^, ][^,]*(,[^,]*){0,${MAX_NUMBERS - 1}}$` },
    ),
    order_ids: {
      type: 'string',
      maxLength: 4000,
      description:
        'One `order_id`, or up to 40, separated by commas, instead of numbers. Returns their trackings, at most 200.',
    },
    lang,
    include,
  },
} as const;

/** A tracking (spec section 2.3) with the state of its checks. */
export const tracking = {
  title: 'Tracking',
  type: 'object',
  description: 'A parcel with its status, its history, and the times of its last and next check.',
  required: [
    'id',
    'tracking_number',
    'carrier',
    'status',
    'sub_status',
    'events',
    'created_at',
    'updated_at',
    'last_checked_at',
    'next_check_at',
    'watch',
  ],
  properties: {
    id,
    tracking_number: trackingNumber,
    carrier: carrierCode,
    detected_carrier: detectedCarrier,
    candidates: candidateCodes,
    status,
    sub_status: subStatus,
    ...statusTexts,
    events: { type: 'array', items: trackingEvent, description: 'The history of the parcel.' },
    events_lang: eventsLang,
    reason,
    pieces,
    estimated_delivery: estimatedDelivery,
    expected: {
      type: 'array',
      items: trackingEvent,
      description:
        'Events that the carrier dates more than a day in the future. They do not affect the status. Absent if there are none.',
    },
    previous_events: {
      type: 'array',
      items: trackingEvent,
      description:
        'Events of an earlier parcel with the same number, older than 120 days before the registration. They do not affect the status. Absent if there are none.',
    },
    notice,
    created_at: { ...instant, description: 'When the parcel was registered.' },
    updated_at: { ...instant, description: 'When the parcel last changed.' },
    last_checked_at: {
      ...instantOrNull,
      description: 'When the carrier was last checked; null before the first check.',
    },
    next_check_at: {
      ...instantOrNull,
      description: 'When the next check is due. A pause of the provider can delay it. Null if polling has stopped.',
    },
    watch,
    tracking_page_url: trackingPageUrl,
    ...OPTIONAL_FIELD_SCHEMAS,
    courier_code: registrationInputs.courier_code,
    ...storedFields,
  },
} as const;

export const getResponse = object(
  {
    success: { type: 'array', items: tracking, description: 'The trackings that were found, in the order requested.' },
    rejected: optional({
      type: 'array',
      description: 'The numbers that are not registered under the account. Absent if there are none.',
      items: object(
        {
          index: {
            type: 'integer',
            minimum: 0,
            description: "The number's place in the request, from 0.",
            examples: [1],
          },
          field: { type: 'string', description: 'The parameter: `tracking_numbers`.' },
          tracking_number: trackingNumber,
          rejectedCode: { type: 'integer', description: 'The error number: 4102.', examples: [4102] },
          rejectedMessage: { type: 'string', description: 'What to do.' },
          docs_url: docsUrl,
        },
        { title: 'RejectedNumber' },
      ),
    }),
    unknown_order_ids: optional({
      type: 'array',
      items: { type: 'string' },
      description: 'The requested orders without a tracking. Absent if there are none.',
      examples: [['A-1002']],
    }),
  },
  { title: 'FoundTrackings' },
);

export const trackingById = object({ id });

const clearable = orNull(TRACKING_FIELD_SCHEMAS);

/** PATCH /trackings/{id}: null clears. */
const changeRequest = documentedWith(
  {
    title: 'TrackingChange',
    type: 'object',
    required: ['id'],
    properties: {
      id,
      courier_code: {
        ...freeText(40),
        description: 'A new carrier for the number, or `auto` to detect it again. An empty text counts as omitted.',
        examples: ['yto'],
      },
      ...clearable,
      metadata: { ...clearable.metadata, title: 'MetadataChange' },
    },
  },
  ANY_CHANGE,
);

/** POST /trackings/restore. */
const restoreRequest = documentedWith(
  {
    title: 'TrackingsToRestore',
    type: 'object',
    description: 'Either `ids` or `bulk_action_id`.',
    properties: {
      ids: {
        type: 'array',
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        items: id,
        description: 'The ids of the removed trackings.',
      },
      bulk_action_id: {
        ...id,
        description: 'The bulk action that removed the trackings. A request restores up to 1,000 of them.',
      },
    },
  },
  { ...ANY_CHANGE, maxProperties: 1 },
);

const restoreResponse = object(
  {
    restored: { type: 'array', items: id, description: 'The ids of the restored trackings.' },
    not_restored: {
      type: 'array',
      description: 'The trackings that were not restored, each with the reason.',
      items: object(
        {
          id,
          reason: {
            title: 'NotRestoredReason',
            type: 'string',
            enum: ['not_found', 'registered_again'],
            description:
              '`not_found`: no tracking with this id was removed in the last 24 hours. `registered_again`: its number has been registered since; remove that tracking first.',
          },
        },
        { title: 'NotRestored', description: 'A tracking that stays removed.' },
      ),
    },
    more: {
      type: 'boolean',
      description: 'Whether the bulk action may have removed more trackings. If so, send the same request again.',
    },
  },
  { title: 'RestoredTrackings' },
);

const retrackRequest = {
  title: 'RetrackTarget',
  type: 'object',
  properties: {
    id,
    tracking_number: {
      ...createRequest.properties.tracking_number,
      description: 'The tracking number, instead of the id.',
    },
    courier_code: {
      ...freeText(40),
      description: 'The carrier. Required if the number is registered with several carriers.',
      examples: ['yto'],
    },
  },
} as const;

const retrackResponse = object(
  {
    id,
    status,
    retracked_at: { ...instant, description: 'The current time. The next retrack is possible one hour later.' },
  },
  { title: 'Retracked' },
);

export const createTracking = defineOperation({
  method: 'post',
  path: '/trackings/create',
  limit: 'trackings.create',
  // For a registered number, the existing tracking is returned, and it is charged once.
  repeat: 'safe',
  scope: 'write',
  input: 'body',
  request: createBody,
  response: createResponse,
  doc: {
    id: 'createTracking',
    tag: 'Trackings',
    summary: 'Register a tracking number',
    summaryZh: '注册一个运单号',
    description:
      'Uses one unit of quota. The carrier is queried at once and takes 3 to 15 seconds to respond. A number that is already registered costs nothing, so the request is safe to repeat: the existing tracking is returned with `created: false`. Fields in the request replace its fields (`metadata` as a whole), and its other fields stay as they are. The carrier is detected unless you send `courier_code`. If the number may belong to several carriers, `candidates` lists them, and they are checked one after another, for the same unit, until one knows it. If the carrier requires another field (`tracking_required_fields` in `GET /couriers/all`), a number without it is rejected with 4122, which names the field, and nothing is charged. With `dry_run`, nothing is stored and the response says what would happen.',
    errors: [
      'invalid_number',
      'number_missing',
      'unknown_courier',
      'carrier_undetected',
      'field_needed',
      'quota_exhausted',
    ],
    example: {
      request: { tracking_number: EXAMPLE_NUMBER, order_id: 'A-1001', metadata: { shop: 'hangzhou' } },
      response: {
        id: EXAMPLE_ID,
        tracking_number: EXAMPLE_NUMBER,
        carrier: 'yto',
        status: '查询中',
        detected_carrier: 'yto',
        created: true,
        charged: 1,
        order_id: 'A-1001',
        metadata: { shop: 'hangzhou' },
      },
    },
  },
});

export const getTrackings = defineOperation({
  method: 'get',
  path: '/trackings/get',
  limit: 'trackings.get',
  repeat: 'safe',
  scope: 'read',
  input: 'query',
  request: getQuery,
  response: getResponse,
  localized: true,
  doc: {
    id: 'getTrackings',
    tag: 'Trackings',
    summary: 'Read trackings by their numbers',
    summaryZh: '按运单号读取',
    description:
      'Returns up to 40 trackings in the order requested. Numbers that are not registered are listed in `rejected`. If none is registered, the request fails with 4102. A number that is registered with several carriers is returned once for each. With `order_ids` instead of numbers, it returns the trackings of these orders. Do not poll this endpoint to follow parcels: it has the strictest limit.',
    errors: ['not_registered', 'batch_too_large', 'number_missing', 'invalid_number', 'invalid_field'],
    example: { request: { tracking_numbers: EXAMPLE_NUMBER }, response: { success: [TRACKING_EXAMPLE] } },
  },
});

export const getTracking = defineOperation({
  method: 'get',
  path: '/trackings/:id',
  limit: 'trackings.one',
  repeat: 'safe',
  scope: 'read',
  input: 'params',
  request: trackingById,
  response: tracking,
  localized: true,
  doc: {
    query: { properties: { lang, include } },
    id: 'getTracking',
    tag: 'Trackings',
    summary: 'Read one tracking by its id',
    summaryZh: '读取一个包裹',
    errors: ['invalid_id', 'not_found', 'invalid_field'],
    example: { response: TRACKING_EXAMPLE },
  },
});

export const updateTracking = defineOperation({
  method: 'patch',
  path: '/trackings/:id',
  limit: 'trackings.one',
  repeat: 'safe',
  scope: 'write',
  input: 'body',
  request: changeRequest,
  response: {
    ...tracking,
    title: 'ChangedTracking',
    properties: { ...tracking.properties, warnings },
  },
  localized: true,
  doc: {
    query: { properties: { lang, include } },
    id: 'updateTracking',
    tag: 'Trackings',
    summary: 'Change a tracking or its carrier',
    summaryZh: '修改一个包裹',
    description:
      'Null clears a field, and `metadata` is replaced as a whole. If `phone`, `postal_code` or `destination_country` changes, the carrier is queried again at once, or as soon as its provider allows, at no charge. For a number with `candidates`, `courier_code` chooses the carrier. A different `courier_code` (or `auto` to detect it again) moves the tracking to that carrier at no charge: the history from the old carrier is dropped, the status returns to 查询中, and the new carrier is queried at once, or as soon as its provider allows. Only a change of the carrier changes `updated_at`, which is the time of the last update of the parcel.',
    errors: ['invalid_id', 'not_found', 'unknown_courier', 'carrier_undetected'],
    example: { request: { courier_code: 'yto', title: null }, response: TRACKING_EXAMPLE },
  },
});

export const stopTracking = defineOperation({
  method: 'post',
  path: '/trackings/:id/stop',
  limit: 'trackings.one',
  repeat: 'safe',
  scope: 'write',
  input: 'params',
  request: trackingById,
  response: tracking,
  localized: true,
  doc: {
    query: { properties: { lang, include } },
    id: 'stopTracking',
    tag: 'Trackings',
    summary: 'Stop polling a tracking',
    summaryZh: '停止查询一个包裹',
    description:
      'The tracking stays as it is and can still be read, but gets no more updates and sends no more events. A retrack resumes polling. Stopping it again changes nothing. Its unit of quota is not refunded.',
    errors: ['invalid_id', 'not_found', 'invalid_field'],
    example: {
      response: { ...TRACKING_EXAMPLE, watch: { mode: 'stopped', interval_seconds: null }, next_check_at: null },
    },
  },
});

export const deleteTracking = defineOperation({
  method: 'delete',
  path: '/trackings/:id',
  limit: 'trackings.one',
  // A second DELETE finds nothing: a success would look like a failure.
  repeat: 'once',
  scope: 'write',
  input: 'params',
  request: trackingById,
  response: object({ id }, { title: 'DeletedTracking' }),
  doc: {
    id: 'deleteTracking',
    tag: 'Trackings',
    summary: 'Remove a tracking',
    summaryZh: '停止跟踪一个包裹',
    description:
      'Polling stops and the tracking can no longer be read. For 24 hours, `POST /trackings/restore` brings it back. Its unit of quota is not refunded, and registering the number again is charged. Pending webhook deliveries are still sent, and its events stay in `GET /events`.',
    errors: ['invalid_id', 'not_found'],
    example: { response: { id: EXAMPLE_ID } },
  },
});

export const restoreTrackings = defineOperation({
  method: 'post',
  path: '/trackings/restore',
  limit: 'trackings.one',
  // A second one finds nothing that is removed.
  repeat: 'keyed',
  scope: 'write',
  input: 'body',
  request: restoreRequest,
  strict: true,
  response: restoreResponse,
  doc: {
    id: 'restoreTrackings',
    tag: 'Trackings',
    summary: 'Restore removed trackings',
    summaryZh: '恢复已移除的包裹',
    description:
      'Restores trackings that were removed in the last 24 hours, with their id, history and settings, at no charge. Polling continues within an hour. Page links work again, and events that the carrier reported in the meantime arrive with the next check.',
    errors: ['invalid_id', 'invalid_field'],
    example: { request: { ids: [EXAMPLE_ID] }, response: { restored: [EXAMPLE_ID], not_restored: [], more: false } },
  },
});

const RETRACKED_EXAMPLE = { id: EXAMPLE_ID, status: '查询中', retracked_at: '2025-11-21T01:02:03Z' };

export const retrackTracking = defineOperation({
  method: 'post',
  path: '/trackings/retrack/:id',
  limit: 'trackings.retrack',
  // A second retrack within the hour is refused with 4113.
  repeat: 'keyed',
  scope: 'write',
  input: 'params',
  request: trackingById,
  response: retrackResponse,
  doc: {
    id: 'retrackTracking',
    tag: 'Trackings',
    summary: 'Retrack',
    summaryZh: '按 id 重新查询',
    description:
      'Checks the tracking with its carrier now, at most once an hour. An earlier retrack is rejected with 4113 and `Retry-After`. It also resumes an expired tracking. The response shows the state before the check, so read the tracking a few seconds later.',
    errors: ['invalid_id', 'not_found', 'retrack_too_soon'],
    example: { response: RETRACKED_EXAMPLE },
  },
});

export const retrackByNumber = defineOperation({
  method: 'post',
  path: '/trackings/retrack',
  limit: 'trackings.retrack',
  repeat: 'keyed',
  scope: 'write',
  input: 'body',
  request: retrackRequest,
  response: retrackResponse,
  doc: {
    id: 'retrackByNumber',
    tag: 'Trackings',
    summary: 'Retrack by number',
    summaryZh: '按运单号重新查询',
    description:
      'Retracks by `tracking_number` or `id`. If you send both, they must belong to the same tracking. If the number is registered with several carriers, `courier_code` is required.',
    errors: [
      'not_registered',
      'not_found',
      'invalid_id',
      'invalid_number',
      'number_missing',
      'retrack_too_soon',
      'field_needed',
      'unknown_courier',
    ],
    example: { request: { tracking_number: EXAMPLE_NUMBER }, response: RETRACKED_EXAMPLE },
  },
});
