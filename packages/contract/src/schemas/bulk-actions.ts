import {
  BULK_ACTION_DAYS,
  BULK_ACTIONS,
  BULK_REASONS,
  type BulkReason,
  MAX_BULK_ACTIONS,
} from '@pts/core/bulk-actions';
import { id, instant, instantOrNull } from '../common.ts';
import { shipmentFilters } from './shipments.ts';
import { attemptRange, deliveryFilters } from './webhooks/delivery-log.ts';

const actionId = { ...id, description: 'The id of the bulk action.' } as const;
const count = { type: 'integer', minimum: 0 } as const;
/** What a request says beside its filter: only count, or act on what was counted. */
const counting = {
  dry_run: { type: 'boolean', description: 'Only count what matches: nothing is done.' },
  expected_count: {
    ...count,
    description:
      'For how many it is meant: it is refused (409) if others match than these, or too many to count at once.',
    examples: [4312],
  },
  dry_run_id: {
    ...id,
    description:
      'The id of a dry run with the same filter that is done: the bulk action is for what it has counted, as of its time, and for no more.',
  },
} as const;
const UNKNOWN = 'Unknown fields are refused.';

const shipments = {
  title: 'BulkShipmentFilter',
  type: 'object',
  description: `Which shipments: the filters of \`GET /shipments\`. Without any, all of the account. ${UNKNOWN}`,
  properties: {
    ...shipmentFilters,
    // As a parameter, it is described without its text.
    needs_attention: { ...shipmentFilters.needs_attention, title: 'BulkAttentionFilter' },
  },
} as const;

/** POST /bulk/retrack, POST /bulk/stop. */
export const bulkRequest = {
  title: 'BulkOfShipments',
  type: 'object',
  properties: { filter: shipments, ...counting },
} as const;

/** POST /bulk/delete. */
export const bulkDeleteRequest = {
  title: 'BulkDeletion',
  type: 'object',
  properties: {
    ...bulkRequest.properties,
    all: { type: 'boolean', description: 'Must be true if the filter is empty: delete all shipments of the account.' },
  },
} as const;

/** POST /bulk/redeliver. */
export const bulkRedeliverRequest = {
  title: 'BulkRedelivery',
  type: 'object',
  properties: {
    filter: {
      title: 'BulkDeliveryFilter',
      type: 'object',
      description: `Which messages, by the last attempt to send each of them to a webhook. ${UNKNOWN}`,
      properties: {
        ...deliveryFilters,
        ...attemptRange,
      },
    },
    ...counting,
  },
} as const;

const action = { title: 'BulkActionName', type: 'string', enum: BULK_ACTIONS, description: 'What is done.' } as const;
const filter = {
  title: 'BulkFilter',
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'The filter of the request.',
  examples: [{ status: '派送中', carrier: 'yto' }],
} as const;

const reasons = Object.entries(BULK_REASONS).map(([reason, { message }]) => `\`${reason}\`: ${message}`);

export const bulkAction = {
  title: 'BulkAction',
  type: 'object',
  description:
    'Something that is done to everything that a filter matches, in the background; or a dry run, which counts it.',
  required: [
    ...([
      'id',
      'action',
      'state',
      'filter',
      'dry_run',
      'as_of',
      'matched',
      'matched_is_lower_bound',
      'done',
      'skipped',
      'failed',
    ] as const),
    ...(['progress', 'reasons', 'error', 'created_at', 'started_at', 'finished_at', 'expires_at'] as const),
  ],
  properties: {
    id: actionId,
    action,
    state: {
      type: 'string',
      enum: ['queued', 'running', 'done', 'failed', 'cancelled'],
      description: '`failed`: it was ended early, and `error` says why.',
    },
    filter,
    dry_run: { type: 'boolean', description: 'Whether it only counts.' },
    as_of: { ...instant, description: 'It is for what matched at this time: that of its request, or of its dry run.' },
    matched: { ...count, description: 'How many matched at `as_of`: it is never done to more.', examples: [4312] },
    matched_is_lower_bound: {
      type: 'boolean',
      description:
        'Whether more may match than `matched`: more than 10,000 shipments, or messages of 5,000 attempts, are counted only by a dry run, in the background, until it is done. Without one, it is done to all that match.',
    },
    done: { ...count, description: 'For how many it was done.' },
    skipped: { ...count, description: 'For how many there was nothing to do: `reasons` says why.' },
    failed: { ...count, description: 'For how many it was refused: `reasons` says why.' },
    progress: {
      type: ['integer', 'null'],
      minimum: 0,
      maximum: 100,
      description: 'In percent of `matched`; null while that is a lower bound.',
    },
    reasons: {
      type: 'array',
      description: 'Why some were skipped or failed.',
      items: {
        title: 'BulkReason',
        type: 'object',
        required: ['reason', 'outcome', 'message', 'count', 'sample_ids'],
        properties: {
          reason: {
            type: 'string',
            enum: Object.keys(BULK_REASONS) as BulkReason[],
            description: `${reasons.join(' ')} More may be added.`,
          },
          outcome: { type: 'string', enum: ['skipped', 'failed'], description: 'Which of the counts has them.' },
          message: { type: 'string', description: 'The reason in words, for humans. The wording may change.' },
          count: { ...count, description: 'How many have it.' },
          sample_ids: {
            type: 'array',
            items: { type: 'string' },
            description: 'The first of them: ids of trackings, or of delivery records.',
          },
        },
      },
    },
    error: { type: ['string', 'null'], description: 'Why it ended early.' },
    created_at: { ...instant, description: 'When it was requested.' },
    started_at: { ...instantOrNull, description: 'When it began to run.' },
    finished_at: { ...instantOrNull, description: 'When it ended.' },
    expires_at: { ...instantOrNull, description: `When it is forgotten: ${BULK_ACTION_DAYS} days after its end.` },
  },
} as const;

export const bulkActionsResponse = {
  title: 'BulkActionList',
  type: 'object',
  required: ['count', 'bulk_actions'],
  properties: {
    count: { type: 'integer', description: 'The number of entries.' },
    bulk_actions: {
      type: 'array',
      items: bulkAction,
      description: `The last ${MAX_BULK_ACTIONS}, and as many dry runs, newest first.`,
    },
  },
} as const;

export const bulkActionById = { type: 'object', required: ['id'], properties: { id: actionId } } as const;
