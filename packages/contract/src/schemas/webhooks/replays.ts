import { MAX_REPLAYS } from '@pts/core/webhook/endpoint';
import { always, id, instant, instantOrNull } from '../../common.ts';

const webhookId = { ...id, description: 'The id of the webhook.' } as const;

/** POST /webhooks/{id}/replay. */
export const replayRequest = {
  title: 'ReplayRange',
  type: 'object',
  required: ['id', 'since'],
  properties: {
    id: webhookId,
    since: {
      type: 'string',
      format: 'date-time',
      description: 'Start of the range, inclusive: RFC 3339, any time zone.',
      examples: ['2026-03-01T16:00:00Z'],
    },
    until: {
      type: 'string',
      format: 'date-time',
      description: 'End of the range, exclusive. Omit it for now.',
      examples: ['2026-03-02T04:00:00Z'],
    },
    dry_run: { type: 'boolean', description: 'Only count what would be sent: no replay is started.' },
  },
} as const;

export const replay = {
  title: 'Replay',
  type: 'object',
  description: 'Sends the events of a time range to a webhook again.',
  required: ['id', 'webhook_id', 'since', 'until', 'state', 'total', 'replayed', 'created_at', 'finished_at'],
  properties: {
    id: { ...id, description: 'The id of the replay.' },
    webhook_id: { ...id, description: 'The id of the webhook.' },
    since: { ...instant, description: 'Start of the range, inclusive.' },
    until: { ...instant, description: 'End of the range, exclusive.' },
    state: {
      type: 'string',
      enum: ['running', 'done', 'cancelled'],
      description: '`done`: all messages are queued. `cancelled`: by you, or because the webhook was disabled.',
    },
    total: { type: ['integer', 'null'], description: 'Messages to send again; null if there are too many to count.' },
    replayed: { type: 'integer', description: 'Messages queued so far.' },
    created_at: { ...instant, description: 'When it started.' },
    finished_at: { ...instantOrNull, description: 'When it ended; null while it is running.' },
  },
} as const;

export const dryRunReplay = {
  title: 'DryRunReplay',
  type: 'object',
  required: ['dry_run', 'webhook_id', 'since', 'until', 'total'],
  properties: {
    dry_run: { ...always, description: 'Always true: nothing is sent.' },
    webhook_id: replay.properties.webhook_id,
    since: replay.properties.since,
    until: replay.properties.until,
    total: { ...replay.properties.total, description: 'Messages it would send; null if there are too many to count.' },
  },
} as const;

/** POST /webhooks/{id}/replay. */
export const replayAnswer = { title: 'ReplayOutcome', anyOf: [replay, dryRunReplay] } as const;

export const replaysResponse = {
  title: 'ReplayList',
  type: 'object',
  required: ['count', 'replays'],
  properties: {
    count: { type: 'integer', description: 'The number of entries.' },
    replays: { type: 'array', items: replay, description: `The last ${MAX_REPLAYS}, newest first.` },
  },
} as const;

/** DELETE /webhooks/{id}/replays/{replay_id}. */
export const replayById = {
  type: 'object',
  required: ['id', 'replay_id'],
  properties: { id: webhookId, replay_id: { ...id, description: 'The id of the replay.' } },
} as const;
