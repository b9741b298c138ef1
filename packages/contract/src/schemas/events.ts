import { eventKind, id, instant, pageLimit } from '../common.ts';
import { pushedTracking, testMark } from './pushes.ts';

/** A cursor as clients see it: 36 bytes without meaning to them. */
export const EXAMPLE_CURSOR = 'fvVQ0k2mHc8ysEo1ZbTqLwXr9uJ4nGdA7Ki3PeC5tB6WxNlM';

/** The message for a cursor that would skip events. */
export const CURSOR_OUTDATED =
  'The feed cannot continue after this cursor without a gap: the service now runs on a database that does not have all events up to it. Continue after data.next_cursor; events may come again: skip those whose id you know.';

/** The message for a cursor after which events have been removed. */
export const CURSOR_EXPIRED =
  'Events after this cursor were removed when their retention ended, so you may have missed some. Continue after data.next_cursor, right after the last one that was removed; GET /trackings/get says how the parcels stand now.';

const after = {
  type: 'string',
  maxLength: 100,
  description: 'The `next_cursor` of an earlier response, or `latest`. Omit it to start with the oldest event.',
  examples: [EXAMPLE_CURSOR],
} as const;

/** A number of events to start with, as a query parameter; the reference shows a number. */
export const lastEvents = { type: 'string', pattern: pageLimit.pattern } as const;
export const lastEventsAsNumber = {
  type: 'integer',
  minimum: 1,
  maximum: 200,
  description: 'Start with this many of the newest events, oldest first. Ignored together with a cursor.',
} as const;

/** GET /events. */
export const eventsQuery = {
  type: 'object',
  properties: {
    after,
    last: lastEvents,
    limit: pageLimit,
  },
} as const;

/** GET /events/stream. */
export const eventStreamQuery = { type: 'object', properties: { after, last: lastEvents } } as const;

/** An event as it is pushed (spec section 6.2), and the id that its push has. */
export const feedEvent = {
  title: 'Event',
  type: 'object',
  description: 'An event, exactly as pushed.',
  required: ['id', 'event', 'created_at', 'data'],
  properties: {
    id: { ...id, description: 'The `X-Webhook-Id` of its push.' },
    event: eventKind,
    created_at: { ...instant, description: 'When the event occurred.' },
    test: testMark,
    data: pushedTracking,
  },
} as const;

export const eventsResponse = {
  title: 'EventPage',
  type: 'object',
  required: ['events', 'next_cursor', 'has_more'],
  properties: {
    events: { type: 'array', items: feedEvent, description: 'Oldest first.' },
    next_cursor: {
      type: 'string',
      description:
        'The value for `after` in the next request; also present on an empty page. Store it as it is: its form may change.',
    },
    has_more: { type: 'boolean', description: 'Whether more events are available now.' },
  },
} as const;
