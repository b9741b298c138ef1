import { always, docsUrl, warnings } from '../common.ts';
import { MAX_NUMBERS } from '../limits.ts';
import { createdTracking, createRequest, dryRun, dryRunTracking } from './trackings.ts';

export const itemError = {
  title: 'ItemError',
  type: 'object',
  description: 'A number of a bulk call that was not registered, and why. The other numbers were.',
  required: ['index', 'field', 'tracking_number', 'courier_code', 'errorCode', 'errorMessage', 'docs_url'],
  properties: {
    index: { type: 'integer', minimum: 0, description: "The number's place in the request, from 0.", examples: [1] },
    field: {
      type: ['string', 'null'],
      description: 'The invalid field; null if no single field is the reason. `errorMessage` names the others, if any.',
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
} as const;

const errors = {
  type: 'array',
  items: itemError,
  description: 'Numbers that were refused, each with the reason. They cost nothing.',
} as const;

/** One number of a bulk call, whose faults are reported item by item. */
export const bulkItem = createRequest;

const numbers = {
  type: 'array',
  minItems: 1,
  maxItems: MAX_NUMBERS,
  items: createRequest.properties.tracking_number,
  description: 'Numbers only; their carriers are detected.',
} as const;
const items = {
  type: 'array',
  minItems: 1,
  maxItems: MAX_NUMBERS,
  items: bulkItem,
  description: 'Numbers with their optional fields.',
} as const;

/** The body of a bulk call, for the reference: the API reads it item by item. */
export const bulkBody = {
  title: 'Batch',
  anyOf: [
    {
      title: 'BatchOfNumbers',
      type: 'object',
      required: ['tracking_numbers'],
      properties: { tracking_numbers: numbers, dry_run: dryRun },
    },
    {
      title: 'BatchOfTrackings',
      type: 'object',
      required: ['trackings'],
      properties: { trackings: items, dry_run: dryRun },
    },
  ],
} as const;

/** The same for a submission, which has no dry run. */
export const submissionBody = {
  title: 'Submission',
  anyOf: [
    {
      title: 'SubmissionOfNumbers',
      type: 'object',
      required: ['tracking_numbers'],
      properties: { tracking_numbers: numbers },
    },
    {
      title: 'SubmissionOfTrackings',
      type: 'object',
      required: ['trackings'],
      properties: { trackings: items },
    },
  ],
} as const;

/** The body as in the API family. Generated clients do not support alternatives with an array, so the description mentions it. */
export const bareArray = items;

/** The query of POST /trackings/batch, for the reference: a bare array cannot contain it. */
export const bulkQuery = { type: 'object', properties: { dry_run: dryRun } } as const;

/** POST /trackings/batch. */
export const batchResponse = {
  title: 'BatchResult',
  type: 'object',
  required: ['success', 'error'],
  properties: {
    success: {
      type: 'array',
      items: createdTracking,
      description: 'Numbers that are registered, in the order sent, including those registered before.',
    },
    error: errors,
    warnings,
  },
} as const;

/** POST /trackings/batch as a dry run; `would_charge` in all. */
export const dryRunBatch = {
  title: 'DryRunBatch',
  type: 'object',
  required: ['dry_run', 'success', 'error', 'would_charge'],
  properties: {
    dry_run: { ...always, description: 'Always true: nothing was changed.' },
    success: { type: 'array', items: dryRunTracking, description: 'Numbers that would be registered.' },
    error: errors,
    would_charge: { type: 'integer', minimum: 0, description: 'Units of quota that all numbers together would use.' },
    warnings,
  },
} as const;

export const batchAnswer = { title: 'BatchOutcome', anyOf: [batchResponse, dryRunBatch] } as const;

/** POST /track/async. */
export const asyncResponse = {
  title: 'AsyncResult',
  type: 'object',
  required: ['accepted', 'poll_url', 'error'],
  properties: {
    accepted: { type: 'integer', description: 'How many numbers were accepted, that is, stored.', examples: [2] },
    poll_url: { type: 'string', description: 'Lists exactly these trackings. Request it with the same API key.' },
    error: errors,
    warnings,
  },
} as const;
