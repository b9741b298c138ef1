import { MAX_REPLAYS } from '@pts/core/webhook/limits';
import { id, instant, instantOrNull } from '../../common.ts';

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
