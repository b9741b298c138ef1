import { DEFAULT_DAYS, INTERVALS, KEPT_DAYS, MAX_DAYS } from '@pts/core/stats';
import { carrierCode, instant, status, subStatus } from './common.ts';
import { defineOperation } from './operation.ts';
import { object } from './schema.ts';

const interval = {
  title: 'StatsInterval',
  type: 'string',
  enum: INTERVALS,
  description: 'The length of the intervals, in UTC. Default: `day`.',
} as const;

/** GET /stats. */
const statsQuery = {
  type: 'object',
  properties: {
    from: {
      type: 'string',
      maxLength: 40,
      description: `The start of the range: a time with a time zone (RFC 3339). It is rounded down to a whole interval. At most ${MAX_DAYS.day} days before \`to\` by day, ${MAX_DAYS.hour} days by hour; counts are kept for ${KEPT_DAYS.day} days by day, ${KEPT_DAYS.hour} days by hour. Default: ${DEFAULT_DAYS} days before the end.`,
      examples: ['2025-11-15T00:00:00Z'],
    },
    to: {
      type: 'string',
      maxLength: 40,
      description: 'The end of the range, rounded up to a whole interval. Default, and at the latest: now.',
      examples: ['2025-11-22T00:00:00Z'],
    },
    interval,
  },
} as const;

const count = { type: 'integer', minimum: 0 } as const;
const share = { type: ['number', 'null'], minimum: 0, maximum: 1 } as const;
const parcels = { ...count, description: 'The number of parcels.', examples: [1204] } as const;
const lag = { type: ['integer', 'null'], minimum: 0 } as const;

const pushes = object(
  {
    accepted: { ...count, description: 'Attempts that the receiver accepted.', examples: [2980] },
    failed: { ...count, description: 'Attempts that failed. Each is retried on schedule.', examples: [14] },
    success_share: {
      ...share,
      description: 'The share of accepted attempts, from 0 to 1; null if there are no attempts.',
      examples: [0.9953],
    },
    lag_ms_p50: {
      ...lag,
      description:
        'The median time from the stored change to the accepted push, including failed attempts before it, in milliseconds. Redeliveries do not count. It is at most 19 % too high and never too low; null if there are no such pushes.',
      examples: [181],
    },
    lag_ms_p95: { ...lag, description: 'The 95th percentile of the same time.', examples: [724] },
  },
  { title: 'PushCounts', description: 'The attempts to push an event to a webhook, without pings.' },
);

const activity = {
  registered: {
    ...count,
    description: 'Parcels that were registered, including those deleted since then.',
    examples: [310],
  },
  delivered: { ...count, description: 'The number of `tracking_delivered` events.', examples: [288] },
  exceptions: { ...count, description: 'The number of `tracking_exception` events.', examples: [6] },
  events: { ...count, description: 'The number of all events, including updates.', examples: [1490] },
  pushes,
} as const;

const inTime = object(
  {
    parcels: { ...parcels, description: 'Parcels whose first estimate was of this kind.' },
    share: {
      ...share,
      description: 'The share that arrived on time, from 0 to 1; null if there are no such parcels.',
      examples: [0.93],
    },
  },
  { title: 'InTime', description: 'Delivered parcels that had an estimate, and the share that arrived by then.' },
);

const hours = { type: 'integer', minimum: 0 } as const;
const transit = {
  parcels: { ...parcels, description: 'Delivered parcels with a known transit time.' },
  hours_p50: {
    ...hours,
    description:
      'The median time from the first movement to the delivery, in hours. It is rounded up to 6 hours (up to 3 days), 12 hours (up to 10 days) or 24 hours.',
    examples: [48],
  },
  hours_p90: { ...hours, description: 'The 90th percentile of the same time.', examples: [84] },
  in_time: object(
    {
      carrier: inTime,
      history: inTime,
    },
    {
      title: 'InTimeBySource',
      description:
        "Whether the parcels arrived by the end of the first estimate that was announced for them: `carrier`, the carrier's own expected date; `history`, our estimate from similar parcels. A date ends with the day at the place of the delivery.",
    },
  ),
} as const;
const PLACE = 'a province or state (`CN-GD`) within a country, otherwise a country, ISO 3166-1 alpha-2.';
const place = { type: 'string' } as const;

const statsResponse = object(
  {
    from: { ...instant, description: 'The start of the first interval.' },
    to: { ...instant, description: 'The end of the last interval, which may be the current one.' },
    interval,
    up_to_date: {
      type: 'boolean',
      description:
        'False while events or pushes have been waiting to be counted for more than a minute. The figures are then a few minutes old.',
    },
    parcels: object(
      {
        total: { ...parcels, description: 'All parcels.' },
        statuses: {
          type: 'array',
          description: 'By status. All four are listed.',
          items: object({ status, parcels }, { title: 'StatusCount' }),
        },
        sub_statuses: {
          type: 'array',
          description: 'By sub-status, most parcels first.',
          items: object({ sub_status: subStatus, parcels }, { title: 'SubStatusCount' }),
        },
        carriers: {
          type: 'array',
          description: 'By carrier, most parcels first.',
          items: object({ carrier: carrierCode, parcels }, { title: 'CarrierCount' }),
        },
      },
      {
        title: 'ParcelCounts',
        description:
          'The current parcels of the account, regardless of the range. With more than 10,000 parcels, the figures can be up to a minute old.',
      },
    ),
    totals: object(activity, { title: 'Activity', description: 'What happened in the whole range.' }),
    intervals: {
      type: 'array',
      description: 'What happened in each interval, oldest first and without gaps.',
      items: object(
        { start: { ...instant, description: 'The start of the interval.' }, ...activity },
        { title: 'IntervalActivity' },
      ),
    },
    transit: object(
      {
        carriers: {
          type: 'array',
          description: 'By carrier, most parcels first.',
          items: object({ carrier: carrierCode, ...transit }, { title: 'CarrierTransit' }),
        },
        lanes: {
          type: 'array',
          description:
            'By carrier and lane, for the 100 lanes with the most parcels. Only parcels whose scans name the places are included.',
          items: object(
            {
              carrier: carrierCode,
              origin: { ...place, description: `Where the parcels came from: ${PLACE}`, examples: ['CN-GD'] },
              destination: { ...place, description: `Where they went: ${PLACE}`, examples: ['CN-BJ'] },
              ...transit,
            },
            { title: 'LaneTransit' },
          ),
        },
      },
      {
        title: 'TransitTimes',
        description: 'The transit times of parcels reported as delivered on the days (UTC) of the range.',
      },
    ),
  },
  { title: 'Stats' },
);

const PUSHES = { accepted: 2980, failed: 14, success_share: 0.9953, lag_ms_p50: 181, lag_ms_p95: 724 };
const ACTIVITY_EXAMPLE = { registered: 310, delivered: 288, exceptions: 6, events: 1490, pushes: PUSHES };
const TRANSIT_EXAMPLE = {
  parcels: 288,
  hours_p50: 48,
  hours_p90: 84,
  in_time: { carrier: { parcels: 250, share: 0.932 }, history: { parcels: 30, share: 0.9 } },
};

export const getStats = defineOperation({
  method: 'get',
  path: '/stats',
  limit: 'stats',
  repeat: 'safe',
  scope: 'read',
  input: 'query',
  request: statsQuery,
  response: statsResponse,
  doc: {
    id: 'getStats',
    tag: 'Account',
    summary: 'Read statistics',
    summaryZh: '统计数据',
    description:
      'The current parcels of the account by status and carrier. For a range, by hour or by day: registrations, deliveries, exceptions, events and pushes, as well as the transit times of delivered parcels by carrier and lane, with the share that arrived on time.\n\nCounts include every change that is stored. Transit times follow within a minute.',
    example: {
      request: { from: '2025-11-21T00:00:00Z', to: '2025-11-22T00:00:00Z', interval: 'day' },
      response: {
        from: '2025-11-21T00:00:00Z',
        to: '2025-11-22T00:00:00Z',
        interval: 'day',
        up_to_date: true,
        parcels: {
          total: 1204,
          statuses: [
            { status: '查询中', parcels: 610 },
            { status: '派送中', parcels: 90 },
            { status: '已签收', parcels: 490 },
            { status: '异常', parcels: 14 },
          ],
          sub_statuses: [
            { sub_status: 'in_transit', parcels: 610 },
            { sub_status: 'delivered', parcels: 490 },
            { sub_status: 'out_for_delivery', parcels: 90 },
            { sub_status: 'exception', parcels: 14 },
          ],
          carriers: [{ carrier: 'yto', parcels: 1204 }],
        },
        totals: ACTIVITY_EXAMPLE,
        intervals: [{ start: '2025-11-21T00:00:00Z', ...ACTIVITY_EXAMPLE }],
        transit: {
          carriers: [{ carrier: 'yto', ...TRANSIT_EXAMPLE }],
          lanes: [{ carrier: 'yto', origin: 'CN-GD', destination: 'CN-BJ', ...TRANSIT_EXAMPLE }],
        },
      },
    },
  },
});
