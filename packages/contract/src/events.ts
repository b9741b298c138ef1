import { message } from '@pts/core/languages/message';
import { TRACKING_EVENT_KINDS } from '@pts/core/tracking/status';
import { MAX_TRACKING_EVENTS } from '@pts/core/webhook/endpoint';
import {
  EXAMPLE_ID,
  EXAMPLE_NUMBER,
  EXAMPLE_RECORD_ID,
  id,
  idOrEmpty,
  instant,
  pageLimit,
  status,
  subStatus,
  trackingEventKind,
} from './common.ts';
import { deliveryStanding } from './deliveries.ts';
import { defineOperation, defineStream } from './operation.ts';
import { pushedTracking, testMark } from './pushes.ts';
import { object, optional } from './schema.ts';
import { pushedAttention } from './shipments.ts';
import { trackingById } from './trackings.ts';

/** A cursor as clients see it: 36 bytes without meaning to them. */
const EXAMPLE_CURSOR = 'fvVQ0k2mHc8ysEo1ZbTqLwXr9uJ4nGdA7Ki3PeC5tB6WxNlM';

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
const eventsQuery = {
  type: 'object',
  properties: {
    after,
    last: lastEvents,
    limit: pageLimit,
    event: {
      title: 'FeedEventFilter',
      type: 'string',
      enum: TRACKING_EVENT_KINDS,
      description: 'Only events of this kind.',
    },
    tracking_id: { ...idOrEmpty, description: 'Only events of this parcel.' },
  },
} as const;

/** An event as it is pushed (spec section 6.2), and the id that its push has. */
export const feedEvent = object(
  {
    id: { ...id, description: 'The `X-Webhook-Id` of its push.' },
    event: trackingEventKind,
    created_at: { ...instant, description: 'When the event occurred.' },
    test: optional(testMark),
    data: pushedTracking,
  },
  { title: 'FeedEvent', description: 'An event, exactly as pushed.' },
);

const lastAttempt = object(
  {
    id: { type: 'string', description: 'The id of the delivery record.' },
    ts: { ...instant, description: 'When it was sent.' },
    status_code: { type: 'integer', description: 'The HTTP status of the response; 0 if there was none.' },
    error: { type: ['string', 'null'], description: 'Why it failed; null if it was delivered.' },
    duration_ms: { type: 'integer', description: 'How long it took, in milliseconds.' },
  },
  { title: 'LastAttempt' },
);

const push = object(
  {
    webhook_id: { ...id, description: 'The id of the webhook, which may have been deleted.' },
    ...deliveryStanding.properties,
    last_attempt: { anyOf: [lastAttempt, { type: 'null' }], description: 'Null before the first attempt.' },
  },
  { title: 'EventPush', description: 'The push of the event to one webhook.' },
);

/** GET /trackings/{id}/events. */
const trackingEventsResponse = object(
  {
    events: {
      type: 'array',
      description: `Newest first, at most ${MAX_TRACKING_EVENTS}.`,
      items: object(
        {
          id: { ...id, description: 'Its `X-Webhook-Id`.' },
          event: trackingEventKind,
          seq: {
            type: ['integer', 'null'],
            description: 'The sequence number of the event within the tracking, from 1.',
          },
          created_at: { ...instant, description: 'When it occurred.' },
          status,
          sub_status: subStatus,
          attention: optional(pushedAttention),
          pushes: { type: 'array', items: push, description: 'One for each webhook that subscribed to it.' },
          filtered_out: optional({
            type: 'array',
            items: id,
            description: 'The subscribed webhooks whose filter held the event back. Absent if there are none.',
          }),
        },
        { title: 'EmittedTrackingEvent' },
      ),
    },
  },
  { title: 'TrackingEvents' },
);

const EXAMPLE_EVENT = {
  id: '69201f4c1b9e0c5a7d3f2e61',
  event: 'tracking_delivered',
  created_at: '2025-11-21T08:14:04Z',
  data: {
    id: EXAMPLE_ID,
    tracking_number: EXAMPLE_NUMBER,
    carrier: 'yto',
    status: '已签收',
    sub_status: 'delivered',
    seq: 7,
    events: [{ time: '2025-11-21T08:10:00Z', location: '杭州市', description: '已签收', status: 'delivered' }],
  },
};

const OUTDATED = {
  when: 'The cursor is from a database that the service no longer runs on, or events after it have been removed (`data.events_removed`). Continue after `data.next_cursor`.',
  message: message('cursor_outdated'),
  data: { next_cursor: EXAMPLE_CURSOR },
};

export const listEvents = defineOperation({
  method: 'get',
  path: '/events',
  limit: 'events',
  repeat: 'safe',
  scope: 'read',
  input: 'query',
  request: eventsQuery,
  response: object(
    {
      events: { type: 'array', items: feedEvent, description: 'Oldest first.' },
      next_cursor: {
        type: 'string',
        description:
          'The value for `after` in the next request, even on an empty page. Store it as it is, because its format may change.',
      },
      has_more: { type: 'boolean', description: 'Whether more events are available now.' },
    },
    { title: 'EventPage' },
  ),
  doc: {
    id: 'listEvents',
    tag: 'Events',
    summary: 'Read the feed of events',
    summaryZh: '按顺序读取事件',
    description:
      'Every event of the account, with or without a webhook, oldest first, exactly as it is pushed. `id` is the `X-Webhook-Id` of its push, and `data` is the data of its body. The feed contains every event exactly once. Store `next_cursor` and send it as `after` in the next request. It is present even on an empty page. `data.seq` numbers the events of each parcel from 1. After a failover or restore of the database, it continues from a much higher number. Without `after`, the feed starts with the oldest event. Events are removed when their retention ends. `after=latest` returns an empty page with a cursor at the end, and `last=20` starts 20 events before it. `event` and `tracking_id` filter the feed, and a cursor works with any of these filters. A page can then have fewer events than `limit`, or even none, while `has_more` is true. A new event becomes readable a moment after it is stored. Pings are not included.\n\n**409**: after a failover that lost the newest transactions, a cursor can be ahead of the database. It is rejected, because continuing from it would skip events. Continue after `data.next_cursor`. You may get events that you already have, so skip those whose `id` you know. An event that was lost and is found again has a higher `data.seq` and a new `id`. A cursor is also rejected if events after it were removed at the end of their retention. In that case, `data.events_removed` is true, and `data.next_cursor` is right after the last removed event. A cursor belongs to one account.',
    errors: ['conflict'],
    conflict: OUTDATED,
    example: {
      request: { after: EXAMPLE_CURSOR, limit: '50' },
      response: {
        events: [EXAMPLE_EVENT],
        next_cursor: 'Q7yTn3LwAe0RkVzP5mXo8sHbJd1UfGc2iN6tE4qC9xYrBpKW',
        has_more: false,
      },
    },
  },
});

export const listTrackingEvents = defineOperation({
  method: 'get',
  path: '/trackings/:id/events',
  limit: 'trackings.one',
  repeat: 'safe',
  scope: 'read',
  input: 'params',
  request: trackingById,
  response: trackingEventsResponse,
  doc: {
    id: 'listTrackingEvents',
    tag: 'Trackings',
    summary: 'List the events of a tracking and their pushes',
    summaryZh: '查询一个包裹的事件及其推送',
    description:
      'The events that a tracking emitted, newest first, each with the state of its push to each webhook and the result of the last attempt. An event without pushes had no subscribed webhook. `GET /webhooks/deliveries/{id}` shows an attempt in detail. Events are removed when their retention ends.',
    errors: ['not_found', 'invalid_id'],
    example: {
      response: {
        events: [
          {
            id: EXAMPLE_EVENT.id,
            event: EXAMPLE_EVENT.event,
            seq: EXAMPLE_EVENT.data.seq,
            created_at: EXAMPLE_EVENT.created_at,
            status: EXAMPLE_EVENT.data.status,
            sub_status: EXAMPLE_EVENT.data.sub_status,
            pushes: [
              {
                webhook_id: '69a45f02b1c2d3e4f5061728',
                state: 'owed',
                attempts: 1,
                round: 0,
                next_attempt_at: '2025-11-21T08:14:35Z',
                last_attempt: {
                  id: EXAMPLE_RECORD_ID,
                  ts: '2025-11-21T08:14:05Z',
                  status_code: 503,
                  error: 'the receiver responded with 503; only 200 to 299 counts as success',
                  duration_ms: 84,
                },
              },
            ],
          },
        ],
      },
    },
  },
});

export const streamEvents = defineStream({
  method: 'get',
  path: '/events/stream',
  limit: 'events.stream',
  repeat: 'safe',
  scope: 'read',
  input: 'query',
  request: { type: 'object', properties: { after, last: lastEvents } },
  line: feedEvent,
  doc: {
    id: 'streamEvents',
    tag: 'Events',
    summary: 'Stream the feed of events',
    summaryZh: '实时接收事件',
    description: `The feed of \`GET /events\` as server-sent events: first those after the cursor, then each new one within a second. \`event\` is its name, \`data\` is the JSON that \`GET /events\` returns for it, and \`id\` is a cursor of the feed. Every client of server-sent events sends it as \`Last-Event-ID\` when it reconnects, and continues without a gap. To start, send a cursor or \`latest\` in \`after\`, or the number of newest events in \`last\`. Without them, the stream starts with the oldest event.

A comment every 15 seconds shows that the connection is alive. A stream ends after an hour; connect again after the time that \`retry\` states. Each account can have 5 open streams. A reader that reads nothing for a minute is disconnected.

An \`error\` event is the last one; its \`data\` is the envelope of an error: 401 once the key is revoked or the account disabled (within 15 seconds), 409 with \`data.next_cursor\` as in \`GET /events\`, 503 when the database cannot be reached.`,
    errors: ['conflict'],
    conflict: OUTDATED,
    headers: {
      properties: {
        'Last-Event-ID': {
          type: 'string',
          maxLength: 100,
          description: 'The `id` of the last received event. It replaces `after`.',
          examples: [EXAMPLE_CURSOR],
        },
      },
    },
    example: { request: { after: 'latest' } },
    media: {
      response: {
        'text/event-stream': {
          schema: { type: 'string' },
          example: `id: ${EXAMPLE_CURSOR}\nevent: tracking_delivered\ndata: ${JSON.stringify(EXAMPLE_EVENT)}\n\n`,
        },
      },
    },
  },
});
