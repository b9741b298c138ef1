import { itemError } from './bulk.ts';
import { id } from './common.ts';
import { createRequest, tracking } from './trackings.ts';

const index = {
  type: ['integer', 'null'],
  minimum: 0,
  description: "The number's place in the input, from 0.",
} as const;
const count = { type: 'integer', minimum: 0 } as const;
const counts = { requested: count, accepted: count, answered: count, failed: count, timed_out: count } as const;

/** POST /track/batch-stream with a JSON body: the forms of a batch, with up to 10,000 entries. */
export const streamRequest = {
  type: 'object',
  properties: {
    tracking_numbers: {
      type: 'array',
      maxItems: 10_000,
      items: { anyOf: [{ type: 'string' }, createRequest] },
      description: 'Tracking numbers, or objects as for POST /trackings/create.',
    },
  },
} as const;

/** A line of the answer. */
export const streamLine = {
  oneOf: [
    {
      type: 'object',
      required: ['type', 'index', ...tracking.required],
      properties: { type: { const: 'tracking' }, index, ...tracking.properties },
    },
    {
      type: 'object',
      required: ['type', 'index', 'errorCode', 'errorMessage'],
      properties: { type: { const: 'error' }, index, ...itemError.properties },
    },
    { type: 'object', required: ['type', 'index', 'id'], properties: { type: { const: 'timeout' }, index, id } },
    {
      type: 'object',
      required: ['type', ...Object.keys(counts), 'pending'],
      properties: { type: { const: 'progress' }, ...counts, pending: count },
    },
    {
      type: 'object',
      required: ['type', ...Object.keys(counts)],
      properties: {
        type: { const: 'summary' },
        ...counts,
        interrupted: { const: true, description: 'The service was stopped; send again what has no line yet.' },
      },
    },
  ],
} as const;

export const STREAM_EXAMPLE = {
  ...{ type: 'summary', requested: 10_000, accepted: 9_990, answered: 9_985, failed: 10, timed_out: 5 },
};

/** A line as clients read it; what else it has follows from its type. */
export type StreamLine = { type: 'tracking' | 'error' | 'timeout' | 'progress' | 'summary' } & Record<string, unknown>;
