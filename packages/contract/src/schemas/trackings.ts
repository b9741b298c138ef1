import {
  always,
  candidateCodes,
  carrierCode,
  detectedCarrier,
  docsUrl,
  freeText,
  id,
  instant,
  instantOrNull,
  pieces,
  reason,
  status,
  subStatus,
  trackingEvent,
  trackingNumber,
  warnings,
} from '../common.ts';
import { eventsLang, lang, statusTexts } from '../languages.ts';
import { estimatedDelivery } from './estimated-delivery.ts';
import { merchantFields, orNull, registrationInputs } from './merchant-fields.ts';
import { trackingPageUrl } from './pages/settings.ts';
import { watch } from './watch.ts';

const notice = {
  type: 'string',
  description: 'Why the carrier has no answer, and what to do about it; absent otherwise.',
  examples: ['The carrier does not know this number as one of its own.'],
} as const;

/** POST /trackings/create: a number and its optional fields. */
export const createRequest = {
  title: 'NewTracking',
  type: 'object',
  required: ['tracking_number'],
  properties: {
    tracking_number: {
      type: 'string',
      description:
        'The number, as printed: 5 to 50 letters and digits. Spaces and hyphens are removed, letters become upper case.',
      examples: ['YT8962646785999'],
    },
    ...registrationInputs,
  },
} as const;

/** Whether the request is a dry run. */
export const dryRun = {
  type: 'boolean',
  description: 'If true, returns only what a registration would do: nothing is stored, charged or sent to a carrier.',
} as const;

/** The body of POST /trackings/create. */
export const createBody = {
  ...createRequest,
  title: 'Registration',
  properties: { ...createRequest.properties, dry_run: dryRun },
} as const;

export const createdTracking = {
  title: 'CreatedTracking',
  type: 'object',
  description: 'A registered number.',
  required: ['id', 'tracking_number', 'carrier', 'status'],
  properties: {
    id,
    tracking_number: trackingNumber,
    carrier: carrierCode,
    status,
    detected_carrier: detectedCarrier,
    candidates: candidateCodes,
    warnings,
  },
} as const;

/** The result of a dry run: `id` is that of the existing tracking, `would_charge` is in units of quota. */
export const dryRunTracking = {
  title: 'DryRunTracking',
  type: 'object',
  description: 'What a registration would do.',
  required: ['dry_run', 'id', 'tracking_number', 'carrier', 'status', 'would_charge'],
  properties: {
    dry_run: { ...always, description: 'Always true: nothing was changed.' },
    id: {
      ...id,
      type: ['string', 'null'],
      description: 'The existing tracking; null if there is none.',
    },
    tracking_number: trackingNumber,
    carrier: carrierCode,
    status,
    detected_carrier: detectedCarrier,
    candidates: candidateCodes,
    would_charge: { type: 'integer', minimum: 0, maximum: 1, description: 'Units of quota that it would use.' },
    warnings,
  },
} as const;

export const createResponse = { title: 'RegistrationOutcome', anyOf: [createdTracking, dryRunTracking] } as const;

export const getQuery = {
  type: 'object',
  required: ['tracking_numbers'],
  properties: {
    tracking_numbers: {
      type: 'string',
      maxLength: 4000,
      description: 'One tracking number, or up to 40, separated by commas.',
      examples: ['YT8962646785999,ZJS000123456'],
    },
    lang,
  },
} as const;

/** A tracking (spec section 2.3) with the state of its checks. */
export const tracking = {
  title: 'Tracking',
  type: 'object',
  description: 'A parcel: its status, its history, and when it was and will be checked.',
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
    events: { type: 'array', items: trackingEvent, description: 'Its history.' },
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
    created_at: { ...instant, description: 'When it was registered.' },
    updated_at: { ...instant, description: 'The time of the last news.' },
    last_checked_at: {
      ...instantOrNull,
      description: 'When its carrier was last checked; null before the first check.',
    },
    next_check_at: {
      ...instantOrNull,
      description:
        'When the next check is due: after a pause of its provider, or at once if the time has passed. Null if polling has stopped.',
    },
    watch,
    tracking_page_url: trackingPageUrl,
    ...registrationInputs,
    phone: { ...freeText(40), description: registrationInputs.phone.description, examples: ['5678'] },
  },
} as const;

/** PATCH /trackings/{id}. */
export const changedTracking = {
  ...tracking,
  title: 'ChangedTracking',
  properties: { ...tracking.properties, warnings },
} as const;

export const getResponse = {
  title: 'FoundTrackings',
  type: 'object',
  required: ['success'],
  properties: {
    success: { type: 'array', items: tracking, description: 'The trackings that were found, in the order requested.' },
    rejected: {
      type: 'array',
      description: 'The numbers that are not registered under the account; absent if there are none.',
      items: {
        title: 'RejectedNumber',
        type: 'object',
        required: ['index', 'field', 'tracking_number', 'rejectedCode', 'rejectedMessage', 'docs_url'],
        properties: {
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
      },
    },
  },
} as const;

export const trackingById = { type: 'object', required: ['id'], properties: { id } } as const;

const clearable = orNull(merchantFields);

/** PATCH /trackings/{id}: null clears. */
export const changeRequest = {
  title: 'TrackingChange',
  type: 'object',
  required: ['id'],
  properties: {
    id,
    courier_code: {
      ...freeText(40),
      description: 'A new carrier for the number; `auto` detects it again. Empty counts as left out.',
      examples: ['yto'],
    },
    ...clearable,
    metadata: { ...clearable.metadata, title: 'MetadataChange' },
  },
} as const;

export const deletedTracking = {
  title: 'DeletedTracking',
  type: 'object',
  required: ['id'],
  properties: { id },
} as const;
