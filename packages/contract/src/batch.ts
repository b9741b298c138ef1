import { ERRORS } from '@pts/core/errors';
import { always, docsUrl, documentedWith, EXAMPLE_ID, EXAMPLE_NUMBER, id, warnings, withDryRun } from './common.ts';
import { BODY_BYTES, MAX_NUMBERS, MAX_STREAMED, MAX_UNREADABLE, sizeText } from './limits.ts';
import { pascalCase } from './openapi/components.ts';
import { ANY_INPUT, defineOperation, defineStream } from './operation.ts';
import { object, optional } from './schema.ts';
import { createdTracking, createRequest, createResponse, dryRun, dryRunTracking, tracking } from './trackings.ts';

export const itemError = object(
  {
    index: { type: 'integer', minimum: 0, description: "The number's place in the request, from 0.", examples: [1] },
    field: {
      type: ['string', 'null'],
      description: 'The invalid field; null if no single field is the reason. `errorMessage` names any others.',
      examples: ['tracking_number'],
    },
    tracking_number: { type: ['string', 'null'], description: 'As you sent it; null if it was not a string.' },
    courier_code: { type: ['string', 'null'], description: 'As you sent it.' },
    errorCode: {
      type: 'integer',
      description:
        'The error number that `POST /trackings/create` returns, such as 4110, or 4122 if a field that the carrier needs is missing.',
      examples: [4110],
    },
    errorMessage: { type: 'string', description: 'What is wrong and what to do.' },
    docs_url: docsUrl,
  },
  {
    title: 'ItemError',
    description: 'A number of a bulk call that was not registered, with the reason. The other numbers were registered.',
  },
);

const errors = {
  type: 'array',
  items: itemError,
  description: 'The rejected numbers, each with the reason. They cost nothing.',
} as const;

/** One number of a bulk call, whose faults are reported item by item. */
export const bulkItem = createRequest;

const numbers = {
  type: 'array',
  minItems: 1,
  maxItems: MAX_NUMBERS,
  items: createRequest.properties.tracking_number,
  description: 'Numbers only. Their carriers are detected.',
} as const;
const items = {
  type: 'array',
  minItems: 1,
  maxItems: MAX_NUMBERS,
  items: bulkItem,
  description: 'Numbers with their optional fields.',
} as const;

/** The body of a bulk call, for the reference: the API reads it item by item. */
const bulkBody = {
  title: 'Batch',
  anyOf: [
    object({ tracking_numbers: numbers, dry_run: optional(dryRun) }, { title: 'BatchOfNumbers' }),
    object({ trackings: items, dry_run: optional(dryRun) }, { title: 'BatchOfTrackings' }),
  ],
} as const;

/** The body of a submission, for the reference: that of a bulk call, but without a dry run. */
const submissionBody = {
  title: 'Submission',
  anyOf: [
    object({ tracking_numbers: numbers }, { title: 'SubmissionOfNumbers' }),
    object({ trackings: items }, { title: 'SubmissionOfTrackings' }),
  ],
} as const;

/**
 * The body as in the API family. Generated clients do not support alternatives with an array, so the description
 * mentions it.
 */
const bareArray = items;

/** The query of POST /trackings/batch, for the reference: a bare array cannot contain it. */
const bulkQuery = { type: 'object', properties: { dry_run: dryRun } } as const;

/** POST /trackings/batch. */
export const batchResponse = object({
  success: {
    type: 'array',
    items: createdTracking,
    description:
      'The registered numbers, in the order sent, including those that were already registered (`created: false`).',
  },
  error: errors,
  warnings: optional(warnings),
});

/** POST /trackings/batch as a dry run; `would_charge` in all. */
export const dryRunBatch = object({
  dry_run: { ...always, description: 'True in a dry run: nothing was changed. Absent otherwise.' },
  success: { type: 'array', items: dryRunTracking, description: 'Numbers that would be registered.' },
  error: errors,
  would_charge: {
    type: 'integer',
    minimum: 0,
    description: 'The units of quota that all numbers together would use. Present only in a dry run.',
  },
  warnings: optional(warnings),
});

const index = {
  type: ['integer', 'null'],
  minimum: 0,
  description:
    "The number's place in the input, from 0; lines without content do not count. Null in an error that ended the stream.",
} as const;
const count = { type: 'integer', minimum: 0 } as const;
const counts = {
  requested: { ...count, description: 'The number of numbers read so far.' },
  accepted: { ...count, description: 'The number of registered numbers.' },
  answered: { ...count, description: 'The number of registered numbers with a response from their carrier.' },
  failed: { ...count, description: 'The number of rejected numbers.' },
  timed_out: {
    ...count,
    description: 'The number of registered numbers without a response in time. Their tracking continues.',
  },
} as const;

/** The kind of line. */
function kind<const K extends string>(name: K, description: string) {
  return { title: `Stream${pascalCase(name)}Type`, type: 'string', enum: [name], description } as const;
}

/** POST /track/batch-stream with a JSON body: the forms of a batch, with up to 10,000 entries. */
export const streamRequest = documentedWith(
  {
    title: 'StreamInput',
    type: 'object',
    properties: {
      tracking_numbers: documentedWith(
        {
          type: 'array',
          maxItems: MAX_STREAMED,
          items: { title: 'StreamItem', anyOf: [{ type: 'string' }, createRequest] },
          description: 'Tracking numbers, or objects as for POST /trackings/create.',
        },
        { minItems: 1 },
      ),
    },
  },
  { required: ['tracking_numbers'] },
);

/** A line of the answer. */
export const streamLine = {
  title: 'StreamLine',
  oneOf: [
    {
      title: 'StreamTracking',
      type: 'object',
      required: ['type', 'index', ...tracking.required],
      properties: { type: kind('tracking', 'A tracking after its first response.'), index, ...tracking.properties },
    },
    {
      title: 'StreamError',
      type: 'object',
      required: ['type', 'index', 'errorCode', 'errorMessage', 'docs_url'],
      properties: {
        type: kind(
          'error',
          'A rejected number. Without an `index`, it is the error that ended the stream, and the last line: no summary follows.',
        ),
        ...itemError.properties,
        index,
      },
    },
    object(
      { type: kind('timeout', 'A tracking without a response in time. Its tracking continues.'), index, id },
      { title: 'StreamTimeout' },
    ),
    object(
      {
        type: kind('progress', 'Progress, every 5 seconds.'),
        ...counts,
        pending: { ...count, description: 'The number of registered numbers that wait for a response.' },
      },
      { title: 'StreamProgress' },
    ),
    object(
      {
        type: kind('summary', 'The last line.'),
        ...counts,
        interrupted: optional({
          ...always,
          description:
            'True if the service was stopped. Absent otherwise. Send the numbers that have no line yet again.',
        }),
        warnings: optional(warnings),
      },
      { title: 'StreamSummary' },
    ),
  ],
} as const;

const STREAM_EXAMPLE = {
  type: 'summary',
  requested: 10_000,
  accepted: 9_990,
  answered: 9_985,
  failed: 10,
  timed_out: 5,
};

/** A line as clients read it; its other fields depend on its type. */
export type StreamLine = { type: 'tracking' | 'error' | 'timeout' | 'progress' | 'summary' } & Record<string, unknown>;

/** An example of a refused number of a bulk call. */
const INVALID_ITEM_EXAMPLE = {
  index: 1,
  field: 'tracking_number',
  tracking_number: 'no',
  courier_code: null,
  errorCode: ERRORS.invalid_number.number,
  errorMessage: 'Invalid: tracking_number must have 5 to 50 letters and digits; spaces and hyphens are ignored.',
  docs_url: `https://api.example.com/docs/errors/${ERRORS.invalid_number.number}`,
};

export const createTrackings = defineOperation({
  method: 'post',
  path: '/trackings/batch',
  limit: 'trackings.batch',
  repeat: 'safe',
  scope: 'write',
  bodyBytes: BODY_BYTES.bulk,
  input: 'body',
  request: ANY_INPUT,
  response: withDryRun(
    'BatchOutcome',
    'The registered and the rejected numbers, or in a dry run, what would happen to them.',
    batchResponse,
    dryRunBatch,
    { success: { ...batchResponse.properties.success, items: createResponse } },
  ),
  doc: {
    id: 'createTrackings',
    tag: 'Bulk',
    summary: 'Register up to 40 numbers at once',
    summaryZh: '批量注册运单号',
    description:
      'Rejected numbers are listed in `error`, each with its error number and reason (4110, 4111, 4120, 4121, 4122 or 4130). All others are registered. For those that were already registered, it works like `POST /trackings/create`. If the quota is too small for all new numbers, none is stored and none is charged. The body can also be a bare array of trackings. With `dry_run`, nothing is stored and the response says what would happen. With a bare array, send `dry_run` in the query.',
    errors: ['number_missing', 'batch_too_large', 'quota_exhausted'],
    requestBody: bulkBody,
    otherBody: bareArray,
    query: bulkQuery,
    example: {
      request: { trackings: [{ tracking_number: EXAMPLE_NUMBER, order_id: 'A-1001' }, { tracking_number: 'no' }] },
      response: {
        success: [
          {
            id: EXAMPLE_ID,
            tracking_number: EXAMPLE_NUMBER,
            carrier: 'yto',
            status: '查询中',
            detected_carrier: 'yto',
            created: true,
            charged: 1,
            order_id: 'A-1001',
          },
        ],
        error: [INVALID_ITEM_EXAMPLE],
      },
    },
  },
});

export const submitTrackings = defineOperation({
  method: 'post',
  path: '/track/async',
  limit: 'track.async',
  repeat: 'safe',
  scope: 'write',
  bodyBytes: BODY_BYTES.bulk,
  input: 'body',
  request: ANY_INPUT,
  response: object(
    {
      accepted: { type: 'integer', description: 'The number of accepted, that is, stored numbers.', examples: [2] },
      poll_url: {
        type: 'string',
        description: 'An address that lists exactly these trackings. Request it with the same API key.',
      },
      error: errors,
      warnings: optional(warnings),
    },
    { title: 'AsyncResult' },
  ),
  doc: {
    id: 'submitTrackings',
    tag: 'Bulk',
    summary: 'Submit up to 40 numbers and poll for them',
    summaryZh: '异步提交运单号',
    description:
      'Registers numbers like `POST /trackings/batch` and returns a `poll_url` that lists exactly these trackings. Request it after 15 seconds, then every minute. Rejected numbers are listed in `error` (4110, 4111, 4120, 4121, 4122 or 4130). All others are registered. The body can also be a bare array of trackings. For a dry run, use `POST /trackings/batch`.',
    errors: ['number_missing', 'batch_too_large', 'quota_exhausted'],
    requestBody: submissionBody,
    otherBody: bareArray,
    example: {
      request: { tracking_numbers: [EXAMPLE_NUMBER, 'no'] },
      response: {
        accepted: 1,
        poll_url: `https://api.example.com/api/v1/shipments?ids=${EXAMPLE_ID}`,
        error: [INVALID_ITEM_EXAMPLE],
      },
    },
  },
});

export const streamBatch = defineStream({
  method: 'post',
  path: '/track/batch-stream',
  limit: 'track.batch-stream',
  repeat: 'safe',
  scope: 'write',
  bodyBytes: BODY_BYTES.stream,
  input: 'body',
  request: streamRequest,
  line: streamLine,
  doc: {
    id: 'streamBatch',
    tag: 'Bulk',
    summary: 'Register thousands of numbers and stream the results',
    summaryZh: '注册数千个运单号并流式返回结果',
    description: `Takes up to ${MAX_STREAMED.toLocaleString('en')} numbers, either as JSON (up to ${sizeText(BODY_BYTES.streamJson)}, which is about 1,300 objects), or as \`application/x-ndjson\`, one number or object per line of at most ${sizeText(BODY_BYTES.streamLine)}, read as it arrives. An invalid line becomes an \`error\` line. After ${MAX_UNREADABLE.toLocaleString('en')} of them, or ${sizeText(BODY_BYTES.stream)}, no more input is read. The response has one JSON object per line, or server-sent events with \`Accept: text/event-stream\`: one \`tracking\` line per number once its first response is stored, an \`error\` line for each rejected number, \`progress\` every 5 seconds, \`timeout\` for numbers whose carrier did not respond within 120 seconds, and one \`summary\` at the end. \`index\` is the number's place in the input.

The key is checked again before each batch of numbers and each response. Once it is revoked, or its account is disabled, nothing more is registered or written, and within 3 seconds the stream ends with an \`error\` line with code 401 and \`index\` null, without a \`summary\`.

Every new number costs one unit. If the client disconnects, or its key is revoked, the numbers registered so far are kept. An account can have 2 open streams.`,
    errors: ['batch_too_large', 'number_missing', 'quota_exhausted'],
    media: {
      request: {
        'application/json': { schema: streamRequest, example: { tracking_numbers: ['YT8812345678901'] } },
        'application/x-ndjson': { schema: { type: 'string' }, example: 'YT8812345678901\n' },
      },
      response: {
        'application/x-ndjson': { schema: streamLine, example: STREAM_EXAMPLE },
        'text/event-stream': { schema: { type: 'string' } },
      },
    },
  },
});
