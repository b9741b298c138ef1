import { MOST_REPLAYS } from '@pts/core/webhook/limits';
import { id, instant, instantOrNull } from './common.ts';

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
      description: 'From when on events are sent again: RFC 3339, in any zone.',
      examples: ['2026-03-01T16:00:00Z'],
    },
    until: {
      type: 'string',
      format: 'date-time',
      description: 'Until when, that moment left out; left out: now.',
      examples: ['2026-03-02T04:00:00Z'],
    },
  },
} as const;

export const replay = {
  title: 'Replay',
  type: 'object',
  description: 'Events of a time, sent to a webhook again.',
  required: ['id', 'webhook_id', 'since', 'until', 'state', 'total', 'replayed', 'created_at', 'finished_at'],
  properties: {
    id: { ...id, description: 'The id of the replay.' },
    webhook_id: { ...id, description: 'Which webhook.' },
    since: { ...instant, description: 'From when on.' },
    until: { ...instant, description: 'Until when.' },
    state: {
      type: 'string',
      enum: ['running', 'done', 'cancelled'],
      description: '`done`: all are queued. `cancelled`: by you, or because the webhook was disabled.',
    },
    total: { type: ['integer', 'null'], description: 'Messages to send again; null: too many to count.' },
    replayed: { type: 'integer', description: 'Messages queued so far.' },
    created_at: { ...instant, description: 'When it began.' },
    finished_at: { ...instantOrNull, description: 'When it ended; null: it has not.' },
  },
} as const;

export const replaysResponse = {
  title: 'ReplayList',
  type: 'object',
  required: ['count', 'replays'],
  properties: {
    count: { type: 'integer', description: 'How many there are.' },
    replays: { type: 'array', items: replay, description: `The last ${MOST_REPLAYS}, newest first.` },
  },
} as const;

/** DELETE /webhooks/{id}/replays/{replay_id}. */
export const replayById = {
  type: 'object',
  required: ['id', 'replay_id'],
  properties: { id: webhookId, replay_id: { ...id, description: 'The id of the replay.' } },
} as const;
