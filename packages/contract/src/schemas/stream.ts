import { always, id, warnings } from '../common.ts';
import { MAX_STREAMED } from '../limits.ts';
import { itemError } from './bulk.ts';
import { createRequest, tracking } from './trackings.ts';

const index = {
  type: ['integer', 'null'],
  minimum: 0,
  description:
    "The number's place in the input, from 0; lines without content do not count. Null in an error that ended the stream.",
} as const;
const count = { type: 'integer', minimum: 0 } as const;
const counts = {
  requested: { ...count, description: 'Numbers read so far.' },
  accepted: { ...count, description: 'How many of them are registered.' },
  answered: { ...count, description: 'How many of those have an answer from their carrier.' },
  failed: { ...count, description: 'Numbers that were refused.' },
  timed_out: { ...count, description: 'Registered, but without an answer in time; tracking continues.' },
} as const;
const COUNTS = ['requested', 'accepted', 'answered', 'failed', 'timed_out'] as const;

/** The kind of line. */
function kind<const K extends string>(name: K, description: string) {
  return { type: 'string', enum: [name], description } as const;
}

/** POST /track/batch-stream with a JSON body: the forms of a batch, with up to 10,000 entries. */
export const streamRequest = {
  title: 'StreamInput',
  type: 'object',
  properties: {
    tracking_numbers: {
      type: 'array',
      maxItems: MAX_STREAMED,
      items: { title: 'StreamItem', anyOf: [{ type: 'string' }, createRequest] },
      description: 'Tracking numbers, or objects as for POST /trackings/create.',
    },
  },
} as const;

/** A line of the answer. */
export const streamLine = {
  title: 'StreamLine',
  oneOf: [
    {
      title: 'StreamTracking',
      type: 'object',
      required: ['type', 'index', ...tracking.required],
      properties: { type: kind('tracking', 'A tracking after its first answer.'), index, ...tracking.properties },
    },
    {
      title: 'StreamError',
      type: 'object',
      required: ['type', 'index', 'errorCode', 'errorMessage', 'docs_url'],
      properties: {
        type: kind(
          'error',
          'A number that was refused. Without an `index`, the fault that ended the stream: it is the last line, and no summary follows.',
        ),
        ...itemError.properties,
        index,
      },
    },
    {
      title: 'StreamTimeout',
      type: 'object',
      required: ['type', 'index', 'id'],
      properties: { type: kind('timeout', 'A tracking without an answer in time; tracking continues.'), index, id },
    },
    {
      title: 'StreamProgress',
      type: 'object',
      required: ['type', ...COUNTS, 'pending'],
      properties: {
        type: kind('progress', 'Progress, every 5 seconds.'),
        ...counts,
        pending: { ...count, description: 'Registered numbers that wait for an answer.' },
      },
    },
    {
      title: 'StreamSummary',
      type: 'object',
      required: ['type', ...COUNTS],
      properties: {
        type: kind('summary', 'The last line.'),
        ...counts,
        interrupted: {
          ...always,
          description:
            'True if the service was stopped; absent otherwise. Send the numbers that have no line yet again.',
        },
        warnings,
      },
    },
  ],
} as const;

export const STREAM_EXAMPLE = {
  type: 'summary',
  requested: 10_000,
  accepted: 9_990,
  answered: 9_985,
  failed: 10,
  timed_out: 5,
};

/** A line as clients read it; its other fields depend on its type. */
export type StreamLine = { type: 'tracking' | 'error' | 'timeout' | 'progress' | 'summary' } & Record<string, unknown>;
