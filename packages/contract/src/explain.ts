import { FAILURES, type Failure } from '@pts/core/tracking/answer';
import { QUARANTINE_REASONS } from '@pts/core/tracking/change';
import { EVENT_FIELD_SCHEMAS } from '@pts/core/tracking/fields';
import {
  candidateCodes,
  carrierCode,
  EXAMPLE_ID,
  EXAMPLE_NUMBER,
  id,
  instant,
  instantOrNull,
  status,
  subStatus,
  trackingEvent,
  trackingNumber,
} from './common.ts';
import { defineOperation } from './operation.ts';
import { object, optional } from './schema.ts';
import { trackingById, watch as trackingWatch } from './trackings.ts';

/** Reasons that delay a check or a retrack of a parcel. */
const HOLD_KINDS = [
  'provider_floor',
  'provider_paused',
  'provider_budget',
  'retrack_interval',
  'first_answer',
  'input_needed',
  'no_provider',
] as const;
export type HoldKind = (typeof HOLD_KINDS)[number];

/** Why a parcel is polled or not. */
const WATCH_REASONS = [
  'regular',
  'pushed',
  'final_look',
  'delivered',
  'returned',
  'expired',
  'stopped',
  'invalid_number',
  'no_provider',
] as const;
export type WatchReason = (typeof WATCH_REASONS)[number];

/** The state of a parcel's subscription to its provider's pushes. */
const CALLBACK_STATES = ['pushing', 'awaited', 'wanted', 'ended', 'refused'] as const;
export type CallbackState = (typeof CALLBACK_STATES)[number];

/** Check failures that a merchant cannot fix. */
export const CHECK_FAILURES = ['transient', 'unreadable', 'temporary', 'unsaved', 'other'] as const;
export type CheckFailure = (typeof CHECK_FAILURES)[number];

/** A sentence that says the same as the fields beside it. */
const inWords = { type: 'string', description: 'The same in words.' } as const;

export const lastAnswer = object(
  {
    kind: {
      title: 'LastAnswerKind',
      type: 'string',
      enum: ['found', 'not_found', 'failed'],
      description: 'The kind of response.',
    },
    failure: {
      anyOf: [{ title: 'Failure', type: 'string', enum: Object.keys(FAILURES) as Failure[] }, { type: 'null' }],
      description: 'Why it failed; null if it did not.',
    },
    at: { ...instant, description: 'When the response arrived.' },
    latency_ms: { type: ['integer', 'null'], description: 'How long it took, in milliseconds.' },
    scans: { type: 'integer', description: 'The number of scans in the response.' },
    untimed_scans: optional({
      type: 'integer',
      description: 'The number of further scans without a time, which are left out of the history.',
    }),
  },
  { title: 'LastAnswer' },
);

const checkFailure = object(
  {
    failure: { title: 'CheckFailureKind', type: 'string', enum: CHECK_FAILURES, description: 'The kind of failure.' },
    since: { ...instant, description: 'When the first of these checks took place.' },
    message: inWords,
  },
  {
    title: 'CheckFailure',
    description: 'Why the last checks brought no response. Absent while checks succeed. Checks continue.',
  },
);

export const quarantine = object(
  {
    reason: {
      title: 'QuarantineReason',
      type: 'string',
      enum: QUARANTINE_REASONS,
      description:
        '`other_number`: the answer names another number. `other_history`: it shares no event with the known history. `other_state`: the state of the parcel contradicts the newest event.',
    },
    since: { ...instant, description: 'When the first such response arrived.' },
    message: inWords,
    events: { type: 'array', items: trackingEvent, description: 'The newest events of that response.' },
  },
  {
    title: 'Quarantine',
    description:
      'Present if the last response may be about another parcel, or if its state contradicts its events. It is ignored unless a response an hour later confirms it.',
  },
);

const scanTime = object(
  {
    time: { ...instant, description: 'The time of the event.' },
    carrier_time: { type: 'string', description: 'The time as the carrier wrote it.' },
    local_time: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'The same moment in the time zone that the carrier used, with its offset; null if it wrote UTC.',
      examples: ['2025-11-21T08:30:00+08:00'],
    },
    zone_source: EVENT_FIELD_SCHEMAS.zone_source,
  },
  { title: 'ScanTime', description: 'How the time of an event was read.' },
);

const watchProperties = trackingWatch.properties;

const carrier = object(
  {
    courier_code: carrierCode,
    courier_name: { type: ['string', 'null'], description: 'Its name in English.' },
    page_url: {
      type: ['string', 'null'],
      description: 'The page of the parcel on the website of the carrier, or the website if that page is not known.',
      examples: ['https://www.yto.net.cn'],
    },
    chosen_by: {
      title: 'CarrierChosenBy',
      type: 'string',
      enum: ['merchant', 'detection'],
      description: 'Whether you chose the carrier or the service detected it.',
    },
    message: inWords,
    candidates: {
      type: 'array',
      description: 'Possible carriers of the number, best first.',
      items: object(
        {
          courier_code: carrierCode,
          confidence: { type: 'integer', description: 'From 1 to 100.' },
          reason: { type: 'string', description: 'Why the number matches this carrier.' },
        },
        { title: 'ExplainedCandidate' },
      ),
    },
    asked_in_turn: optional({
      ...candidateCodes,
      description:
        'The carriers that are checked one after another until one of them knows the number. Absent once one does.',
    }),
  },
  { title: 'ExplainedCarrier', description: 'The carrier of the parcel, and why it was chosen.' },
);

const watch = object(
  {
    watched: { type: 'boolean', description: 'Whether its carrier will be checked again.' },
    ...watchProperties,
    reason: { title: 'WatchReason', type: 'string', enum: WATCH_REASONS, description: 'The reason.' },
    message: inWords,
    last_checked_at: { ...instantOrNull, description: 'When its carrier was last checked.' },
    next_check_at: { ...instantOrNull, description: 'When the next check is due.' },
    expires_at: { ...instantOrNull, description: 'When polling stops if there are no updates until then.' },
  },
  { title: 'Watch', description: 'Whether the parcel is being tracked.' },
);

const cadence = object(
  {
    webhook_enabled: { type: 'boolean', description: 'Whether the account has an enabled webhook.' },
    interval_seconds: { type: 'integer', description: 'Seconds between two checks.' },
    floor_seconds: {
      type: 'integer',
      description: 'The minimum number of seconds between two checks that the provider allows.',
    },
    message: inWords,
  },
  { title: 'Cadence', description: 'How often the carrier is checked.' },
);

const callbacks = object(
  {
    state: {
      title: 'CallbacksState',
      type: 'string',
      enum: CALLBACK_STATES,
      description:
        '`pushing`: news is pushed. `awaited`: a callback is missing, so the carrier is checked regularly. `wanted`: it will be subscribed to. `ended`: the provider has finished pushing. `refused`: the provider does not push this number.',
    },
    subscribed_at: { ...instantOrNull, description: 'When the service subscribed.' },
    last_callback_at: { ...instantOrNull, description: 'When the last callback arrived.' },
    waiting_since: { ...instantOrNull, description: 'Since when a callback has been missing.' },
    retry_at: { ...instantOrNull, description: 'When the service will subscribe again.' },
    message: inWords,
  },
  {
    title: 'ExplainedCallbacks',
    description: 'The subscription to callbacks, with which the provider pushes updates. Absent if there is none.',
  },
);

const quota = object(
  {
    quota_limit: { type: 'integer', description: 'Units in this month.' },
    quota_used: { type: 'integer', description: 'Units used.' },
    quota_remaining: { type: 'integer', description: 'Units left.' },
    resets_at: { ...instant, description: 'When the quota resets.' },
    message: inWords,
  },
  { title: 'Quota', description: "The account's quota." },
);

/** GET /trackings/{id}/explain. */
const explainResponse = object(
  {
    id,
    tracking_number: trackingNumber,
    status,
    sub_status: subStatus,
    carrier,
    provider: { type: 'string', description: 'The provider that is queried for the parcel.' },
    route: {
      type: 'array',
      items: { type: 'string' },
      description:
        'The providers that can be queried for the carrier, in order. If one is unavailable for long, the next one takes over.',
      examples: [['kuaidi100']],
    },
    watch,
    cadence,
    callbacks: optional(callbacks),
    last_answer: {
      anyOf: [lastAnswer, { type: 'null' }],
      description: 'The last response with changes. `watch.last_checked_at` is the time of the last check.',
    },
    failing: optional(checkFailure),
    quarantine: optional(quarantine),
    notice: { type: ['string', 'null'], description: 'Why the carrier has no data, and what to do about it.' },
    held_back_by: {
      type: 'array',
      description: 'What delays the next check. Empty if nothing does.',
      items: object(
        {
          kind: { title: 'HoldKind', type: 'string', enum: HOLD_KINDS, description: 'The kind of delay.' },
          until: { ...instantOrNull, description: 'When the delay ends; null if it ends only when you act.' },
          message: inWords,
        },
        { title: 'Hold' },
      ),
    },
    scan_times: { type: 'array', items: scanTime, description: 'One for each event of the tracking, in their order.' },
    quota,
  },
  { title: 'Explanation' },
);

const EXPLANATION_EXAMPLE = {
  id: EXAMPLE_ID,
  tracking_number: EXAMPLE_NUMBER,
  status: '查询中',
  sub_status: 'pending',
  carrier: {
    courier_code: 'yto',
    courier_name: 'YTO Express',
    page_url: 'https://www.yto.net.cn',
    chosen_by: 'detection',
    message:
      'It was detected from the number. If it is wrong, send the right courier_code with PATCH /api/v1/trackings/{id}.',
    candidates: [
      {
        courier_code: 'yto',
        confidence: 90,
        reason: 'its own prefix (or other letters or digits) and the length of its numbers, which have no check digit',
      },
    ],
  },
  provider: 'kuaidi100',
  route: ['kuaidi100'],
  watch: {
    watched: true,
    mode: 'polled',
    interval_seconds: 1800,
    reason: 'regular',
    message: 'It is checked regularly.',
    last_checked_at: '2025-11-21T00:49:10Z',
    next_check_at: '2025-11-21T01:19:10Z',
    expires_at: '2025-12-20T12:30:04Z',
  },
  cadence: {
    webhook_enabled: true,
    interval_seconds: 1800,
    floor_seconds: 1800,
    message:
      'Checked every 300 seconds (give or take 10 %), because the account has an enabled webhook. The provider allows at most one check every 1800 seconds.',
  },
  last_answer: { kind: 'not_found', failure: null, at: '2025-11-20T12:30:09Z', latency_ms: 412, scans: 0 },
  notice: null,
  held_back_by: [
    {
      kind: 'provider_floor',
      until: '2025-11-21T01:19:10Z',
      message: 'The provider allows one check of a number every 1800 seconds.',
    },
  ],
  scan_times: [],
  quota: {
    quota_limit: 10_000,
    quota_used: 812,
    quota_remaining: 9188,
    resets_at: '2025-12-01T00:00:00Z',
    message: 'This tracking was charged when it was registered. Checks are free.',
  },
};

export const explainTracking = defineOperation({
  method: 'get',
  path: '/trackings/:id/explain',
  limit: 'trackings.one',
  repeat: 'safe',
  scope: 'read',
  input: 'params',
  request: trackingById,
  response: explainResponse,
  doc: {
    id: 'explainTracking',
    tag: 'Trackings',
    summary: 'Explain the state of a tracking',
    summaryZh: '说明一个包裹的状态',
    description:
      'Explains why this carrier was chosen, which provider is queried, when, how often and why it is checked, with what result, and what delays the next check. `last_answer` is the last response with changes, and `watch.last_checked_at` is the time of the last check. A hold without `until` requires an action from you.',
    errors: ['not_found', 'invalid_id'],
    example: { response: EXPLANATION_EXAMPLE },
  },
});
