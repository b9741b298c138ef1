import { defineOperation } from '../operation.ts';
import { statsQuery, statsResponse } from '../schemas/stats.ts';

const PUSHES = { accepted: 2980, failed: 14, success_share: 0.9953, lag_ms_p50: 181, lag_ms_p95: 724 };
const ACTIVITY = { registered: 310, delivered: 288, exceptions: 6, events: 1490, pushes: PUSHES };
const TRANSIT = {
  parcels: 288,
  hours_p50: 48,
  hours_p90: 84,
  in_time: { carrier: { parcels: 250, share: 0.932 }, history: { parcels: 30, share: 0.9 } },
};

/** The figures of an account: parcels by state, what happened over time, transit times. */
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
      'The parcels of the account by status and carrier now; and for a range, by hour or by day: registrations, deliveries, exceptions, events and pushes, and the transit times of delivered parcels by carrier and lane, with the share that arrived in time.\n\nCounts include every change that is stored. Transit times follow within a minute.',
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
        totals: ACTIVITY,
        intervals: [{ start: '2025-11-21T00:00:00Z', ...ACTIVITY }],
        transit: {
          carriers: [{ carrier: 'yto', ...TRANSIT }],
          lanes: [{ carrier: 'yto', origin: 'CN-GD', destination: 'CN-BJ', ...TRANSIT }],
        },
      },
    },
  },
});
