import { ESTIMATE_SOURCES } from '@pts/core/estimates';

/** Two forms, so neither `date` nor `date-time`: a generated client would refuse the other one. */
const dayOrInstant = { type: 'string', minLength: 10, maxLength: 20 } as const;

/** When delivery is expected. */
export const estimatedDelivery = {
  title: 'EstimatedDelivery',
  type: 'object',
  description:
    'When delivery is expected. `from` and `to` are both dates at the destination (`2031-04-08`), or both instants in UTC (`2031-04-08T14:00:00Z`). Absent without an estimate, and once the parcel has been delivered or returned.',
  required: ['from', 'to', 'source'],
  properties: {
    from: { ...dayOrInstant, description: 'The earliest expected time.', examples: ['2031-04-08'] },
    to: { ...dayOrInstant, description: 'The latest expected time.', examples: ['2031-04-09'] },
    source: {
      type: 'string',
      enum: ESTIMATE_SOURCES,
      description:
        '`carrier`: the estimate of the carrier. `history`: computed from similar parcels, 80 % of which arrived within the window.',
      examples: ['carrier'],
    },
  },
} as const;
