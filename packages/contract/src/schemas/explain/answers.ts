import { FAILURES, type Failure } from '@pts/core/tracking/answer';
import { QUARANTINE_REASONS } from '@pts/core/tracking/change';
import { ZONE_SOURCES } from '@pts/core/tracking/scan';
import { instant, trackingEvent } from '../../common.ts';
import { CHECK_FAILURES } from './kinds.ts';

/** The same as its neighbour, as a sentence. */
export const inWords = { type: 'string', description: 'The same as a sentence.' } as const;

export const lastAnswer = {
  title: 'LastAnswer',
  type: 'object',
  required: ['kind', 'failure', 'at', 'latency_ms', 'scans'],
  properties: {
    kind: { type: 'string', enum: ['found', 'not_found', 'failed'], description: 'The kind of answer.' },
    failure: {
      anyOf: [{ title: 'Failure', type: 'string', enum: Object.keys(FAILURES) as Failure[] }, { type: 'null' }],
      description: 'Why it failed; null if it did not.',
    },
    at: { ...instant, description: 'When the answer arrived.' },
    latency_ms: { type: ['integer', 'null'], description: 'How long it took, in milliseconds.' },
    scans: { type: 'integer', description: 'The number of scans in the answer.' },
  },
} as const;

export const checkFailure = {
  title: 'CheckFailure',
  type: 'object',
  description: 'Why the last checks brought no answer; absent while checks succeed. Checks continue.',
  required: ['failure', 'since', 'message'],
  properties: {
    failure: { type: 'string', enum: CHECK_FAILURES, description: 'The kind of failure.' },
    since: { ...instant, description: 'When the first of these checks took place.' },
    message: inWords,
  },
} as const;

export const quarantine = {
  title: 'Quarantine',
  type: 'object',
  description:
    'The last answer may be about another parcel, or its state of the parcel contradicts its events. That is ignored until an answer an hour later confirms it. Absent otherwise.',
  required: ['reason', 'since', 'message', 'events'],
  properties: {
    reason: {
      type: 'string',
      enum: QUARANTINE_REASONS,
      description:
        '`other_number`: the answer names another number. `other_history`: it shares no event with the known history. `other_state`: the state of the parcel contradicts the newest event.',
    },
    since: { ...instant, description: 'When the first such answer arrived.' },
    message: inWords,
    events: { type: 'array', items: trackingEvent, description: 'The newest events of that answer.' },
  },
} as const;

export const scanTime = {
  title: 'ScanTime',
  type: 'object',
  description: 'How the time of an event was read.',
  required: ['time', 'carrier_time', 'local_time', 'zone_source'],
  properties: {
    time: { ...instant, description: 'The time of the event.' },
    carrier_time: { type: 'string', description: 'The time as the carrier wrote it.' },
    local_time: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'The same moment by the clocks that the carrier used, with their offset; null if it wrote UTC.',
      examples: ['2025-11-21T08:30:00+08:00'],
    },
    zone_source: {
      type: 'string',
      enum: ZONE_SOURCES,
      description:
        '`carrier`: the carrier stated the offset. `location`: it follows from the place. `default`: the home zone of the carrier was assumed.',
    },
  },
} as const;
