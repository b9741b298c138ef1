import {
  candidateCodes,
  carrierCode,
  id,
  instant,
  instantOrNull,
  status,
  subStatus,
  trackingNumber,
} from '../../common.ts';
import { watch as trackingWatch } from '../watch.ts';
import { checkFailure, inWords, lastAnswer, quarantine, scanTime } from './answers.ts';
import { CALLBACK_STATES, HOLD_KINDS, WATCH_REASONS } from './kinds.ts';

const watchProperties = trackingWatch.properties;

const carrier = {
  title: 'ExplainedCarrier',
  type: 'object',
  description: 'The carrier of the parcel, and why it was chosen.',
  required: ['courier_code', 'courier_name', 'page_url', 'chosen_by', 'message', 'candidates'],
  properties: {
    courier_code: carrierCode,
    courier_name: { type: ['string', 'null'], description: 'Its name in English.' },
    page_url: {
      type: ['string', 'null'],
      description: 'The page of the parcel on its site, or the site where that page is not known.',
      examples: ['https://www.yto.net.cn'],
    },
    chosen_by: {
      type: 'string',
      enum: ['merchant', 'detection'],
      description: 'Whether you named it or the service detected it.',
    },
    message: inWords,
    candidates: {
      type: 'array',
      description: 'Possible carriers of the number, best first.',
      items: {
        title: 'ExplainedCandidate',
        type: 'object',
        required: ['courier_code', 'confidence', 'reason'],
        properties: {
          courier_code: carrierCode,
          confidence: { type: 'integer', description: 'From 1 to 100.' },
          reason: { type: 'string', description: 'Why the number matches this carrier.' },
        },
      },
    },
    asked_in_turn: {
      ...candidateCodes,
      description:
        'The carriers that are checked one after another, until one of them knows the number; absent once one does.',
    },
  },
} as const;

const watch = {
  title: 'Watch',
  type: 'object',
  description: 'Whether the parcel is being tracked.',
  required: [
    ...['watched', 'mode', 'interval_seconds', 'reason', 'message', 'last_checked_at', 'next_check_at', 'expires_at'],
  ],
  properties: {
    watched: { type: 'boolean', description: 'Whether its carrier will be checked again.' },
    ...watchProperties,
    reason: { type: 'string', enum: WATCH_REASONS, description: 'The reason.' },
    message: inWords,
    last_checked_at: { ...instantOrNull, description: 'When its carrier was last checked.' },
    next_check_at: { ...instantOrNull, description: 'When the next check is due.' },
    expires_at: { ...instantOrNull, description: 'When polling stops if there is no news until then.' },
  },
} as const;

const cadence = {
  title: 'Cadence',
  type: 'object',
  description: 'How often the carrier is checked.',
  required: ['webhook_enabled', 'interval_seconds', 'floor_seconds', 'message'],
  properties: {
    webhook_enabled: { type: 'boolean', description: 'Whether the account has an enabled webhook.' },
    interval_seconds: { type: 'integer', description: 'Seconds between two checks.' },
    floor_seconds: {
      type: 'integer',
      description: 'The minimum number of seconds between two checks that the provider allows.',
    },
    message: inWords,
  },
} as const;

const callbacks = {
  title: 'ExplainedCallbacks',
  type: 'object',
  description: 'The subscription to callbacks of the provider, with which it pushes news. Absent if there is none.',
  required: ['state', 'subscribed_at', 'last_callback_at', 'waiting_since', 'retry_at', 'message'],
  properties: {
    state: {
      type: 'string',
      enum: CALLBACK_STATES,
      description:
        '`pushing`: news is pushed. `awaited`: a callback is missing, so the carrier is checked regularly. `wanted`: it will be subscribed to. `ended`: the provider has finished pushing. `refused`: the provider does not push this number.',
    },
    subscribed_at: { ...instantOrNull, description: 'When it was subscribed to.' },
    last_callback_at: { ...instantOrNull, description: 'When the last callback arrived.' },
    waiting_since: { ...instantOrNull, description: 'Since when a callback is missing.' },
    retry_at: { ...instantOrNull, description: 'When it will be subscribed to (again).' },
    message: inWords,
  },
} as const;

const quota = {
  title: 'Quota',
  type: 'object',
  description: "The account's quota.",
  required: ['quota_limit', 'quota_used', 'quota_remaining', 'resets_at', 'message'],
  properties: {
    quota_limit: { type: 'integer', description: 'Units in this month.' },
    quota_used: { type: 'integer', description: 'Units used.' },
    quota_remaining: { type: 'integer', description: 'Units left.' },
    resets_at: { ...instant, description: 'When the quota resets.' },
    message: inWords,
  },
} as const;

/** GET /trackings/{id}/explain. */
export const explainResponse = {
  title: 'Explanation',
  type: 'object',
  required: [
    ...[
      'id',
      'tracking_number',
      'status',
      'sub_status',
      'carrier',
      'provider',
      'route',
      'watch',
      'cadence',
      'last_answer',
    ],
    ...['notice', 'held_back_by', 'scan_times', 'quota'],
  ],
  properties: {
    id,
    tracking_number: trackingNumber,
    status,
    sub_status: subStatus,
    carrier,
    provider: { type: 'string', description: 'The provider that is queried for it.' },
    route: {
      type: 'array',
      items: { type: 'string' },
      description:
        'The providers that can be queried for its carrier, in order. If one cannot answer for long, the next one takes over.',
      examples: [['kuaidi100']],
    },
    watch,
    cadence,
    callbacks,
    last_answer: {
      anyOf: [lastAnswer, { type: 'null' }],
      description: 'The last answer with something new; `watch.last_checked_at` is the time of the last check.',
    },
    failing: checkFailure,
    quarantine,
    notice: { type: ['string', 'null'], description: 'Why the carrier has no answer, and what to do about it.' },
    held_back_by: {
      type: 'array',
      description: 'What delays the next check; empty if nothing does.',
      items: {
        title: 'Hold',
        type: 'object',
        required: ['kind', 'until', 'message'],
        properties: {
          kind: { type: 'string', enum: HOLD_KINDS, description: 'The kind of delay.' },
          until: { ...instantOrNull, description: 'When the delay ends; null if it ends only when you act.' },
          message: inWords,
        },
      },
    },
    scan_times: { type: 'array', items: scanTime, description: 'One for each event of the tracking, in their order.' },
    quota,
  },
} as const;
