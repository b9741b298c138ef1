import {
  BULK_ACTION_DAYS,
  BULK_ACTIONS,
  BULK_REASONS,
  type BulkReason,
  MAX_BULK_ACTIONS,
} from '@pts/core/bulk-actions';
import { message } from '@pts/core/languages/message';
import { documentedWith, EXAMPLE_ID, entryCount, id, instant, instantOrNull, NO_OTHER_FIELDS } from './common.ts';
import { attemptRange, deliveryFilters } from './deliveries.ts';
import { defineOperation, NO_INPUT } from './operation.ts';
import { object } from './schema.ts';
import { shipmentFilters } from './shipments.ts';

const actionId = { ...id, description: 'The id of the bulk action.' } as const;
const count = { type: 'integer', minimum: 0 } as const;
/** The fields of a request beside its filter: only count, or act on what was counted. */
const counting = {
  dry_run: { type: 'boolean', description: 'If true, only counts what matches. Nothing is changed.' },
  expected_count: {
    ...count,
    description:
      'The number that you expect. The request is rejected (409) if another number matches, or too many to count at once.',
    examples: [4312],
  },
  dry_run_id: {
    ...id,
    description:
      'The id of a finished dry run with the same filter. The bulk action then applies to exactly what that dry run counted.',
  },
} as const;
const UNKNOWN = 'Unknown fields are rejected.';

const shipments = documentedWith(
  {
    title: 'BulkShipmentFilter',
    type: 'object',
    description: `The shipments, by the filters of \`GET /shipments\`. An empty filter means all shipments of the account. ${UNKNOWN}`,
    properties: shipmentFilters,
  },
  NO_OTHER_FIELDS,
);

/** POST /bulk/retrack, POST /bulk/stop. */
const bulkRequest = {
  title: 'BulkOfShipments',
  type: 'object',
  properties: { filter: shipments, ...counting },
} as const;

/** POST /bulk/redeliver. */
export const bulkRedeliverRequest = {
  title: 'BulkRedelivery',
  type: 'object',
  properties: {
    filter: documentedWith(
      {
        title: 'BulkDeliveryFilter',
        type: 'object',
        description: `The messages, by the last attempt to send each of them to a webhook. ${UNKNOWN}`,
        properties: {
          ...deliveryFilters,
          ...attemptRange,
        },
      },
      NO_OTHER_FIELDS,
    ),
    ...counting,
  },
} as const;

const action = {
  title: 'BulkActionName',
  type: 'string',
  enum: BULK_ACTIONS,
  description: 'The kind of bulk action.',
} as const;
const filter = {
  title: 'BulkFilter',
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'The filter of the request.',
  examples: [{ status: '派送中', carrier: 'yto' }],
} as const;

const reasons = (Object.keys(BULK_REASONS) as BulkReason[]).map(
  (reason) => `\`${reason}\`: ${message(`bulk.${reason}`)}`,
);

export const bulkAction = object(
  {
    id: actionId,
    action,
    state: {
      title: 'BulkActionState',
      type: 'string',
      enum: ['queued', 'running', 'done', 'failed', 'cancelled'],
      description: '`failed` means that it ended early, and `error` says why.',
    },
    filter,
    dry_run: { type: 'boolean', description: 'Whether it only counts.' },
    as_of: {
      ...instant,
      description: 'It applies to what matched at this time, which is the time of its request or of its dry run.',
    },
    matched: { ...count, description: 'How many matched at `as_of`. It never applies to more.', examples: [4312] },
    matched_is_lower_bound: {
      type: 'boolean',
      description:
        'Whether more may match than `matched`. Beyond 10,000 shipments, or messages of 5,000 attempts, only a dry run counts everything, in the background. Without one, the bulk action applies to all that match.',
    },
    done: { ...count, description: 'The number of items for which it was done.' },
    skipped: { ...count, description: 'The number of items with nothing to do. `reasons` says why.' },
    failed: { ...count, description: 'The number of items for which it failed. `reasons` says why.' },
    progress: {
      type: ['integer', 'null'],
      minimum: 0,
      maximum: 100,
      description: 'The progress in percent of `matched`; null while that is only a lower bound.',
    },
    reasons: {
      type: 'array',
      description: 'Why some were skipped or failed.',
      items: object(
        {
          reason: {
            title: 'BulkReasonName',
            type: 'string',
            enum: Object.keys(BULK_REASONS) as BulkReason[],
            description: `${reasons.join(' ')} More may be added.`,
          },
          outcome: {
            title: 'BulkReasonOutcome',
            type: 'string',
            enum: ['skipped', 'failed'],
            description: 'Whether these items were skipped or failed.',
          },
          message: { type: 'string', description: 'The reason in words, for humans. The wording may change.' },
          count: { ...count, description: 'The number of items with this reason.' },
          sample_ids: {
            type: 'array',
            items: { type: 'string' },
            description: 'The first of these items, as ids of trackings or delivery records.',
          },
        },
        { title: 'BulkReason' },
      ),
    },
    error: { type: ['string', 'null'], description: 'Why it ended early.' },
    created_at: { ...instant, description: 'When it was requested.' },
    started_at: { ...instantOrNull, description: 'When it began to run.' },
    finished_at: { ...instantOrNull, description: 'When it ended.' },
    expires_at: { ...instantOrNull, description: `When it is deleted, ${BULK_ACTION_DAYS} days after its end.` },
  },
  {
    title: 'BulkAction',
    description:
      'A background action on everything that a filter matches, or a dry run, which only counts the matches.',
  },
);

const bulkActionById = object({ id: actionId });

const EXAMPLE = {
  id: '69a47c11c2d3e4f506172842',
  action: 'retrack' as const,
  state: 'queued' as const,
  filter: { status: '派送中', carrier: 'yto' },
  dry_run: false,
  as_of: '2026-03-01T17:51:29Z',
  matched: 4312,
  matched_is_lower_bound: false,
  done: 0,
  skipped: 0,
  failed: 0,
  progress: 0,
  reasons: [],
  error: null,
  created_at: '2026-03-01T17:51:29Z',
  started_at: null,
  finished_at: null,
  expires_at: null,
};

const DONE = {
  ...EXAMPLE,
  state: 'done' as const,
  done: 4300,
  skipped: 12,
  progress: 100,
  reasons: [
    {
      reason: 'retracked' as const,
      outcome: 'skipped' as const,
      message: 'It was retracked less than 1 hour ago.',
      count: 12,
      sample_ids: [EXAMPLE_ID],
    },
  ],
  started_at: '2026-03-01T17:51:30Z',
  finished_at: '2026-03-01T17:53:02Z',
  expires_at: '2026-03-31T17:53:02Z',
};

const IN_BACKGROUND = `The response comes at once. \`GET /bulk/{id}\` shows the progress, and \`DELETE /bulk/{id}\` cancels the action. With \`dry_run\`, nothing is changed, and \`matched\` is the number of matches, which for large numbers is final once \`state\` is \`done\`. To apply the action to exactly these matches, send the \`id\` of the dry run as \`dry_run_id\`. \`expected_count\` is the number that you expect. An account can run one bulk action at a time, and another one is rejected with 409 until it has ended. The last ${MAX_BULK_ACTIONS} bulk actions and the last ${MAX_BULK_ACTIONS} dry runs are kept for ${BULK_ACTION_DAYS} days.`;
const WHICH =
  'Shipments that are registered after the request are not included. If the filter depends on the state (`status`, `needs_attention`, `updated_after`, `updated_before`), shipments that have changed since the request are skipped.';

const CONFLICT = {
  when: 'Another bulk action of the account has not ended, the number of matches is not `expected_count`, the dry run is not done, or the `Idempotency-Key` belongs to another request.',
  message: message('bulk_action_running', {
    which: message('which_action', { action: 'stop', run: '69a47c11c2d3e4f506172842' }),
  }),
};

export const bulkRetrack = defineOperation({
  method: 'post',
  path: '/bulk/retrack',
  limit: 'bulk',
  repeat: 'keyed',
  scope: 'write',
  input: 'body',
  request: bulkRequest,
  strict: true,
  response: bulkAction,
  status: 202,
  doc: {
    id: 'bulkRetrack',
    tag: 'Bulk actions',
    summary: 'Retrack all that match',
    summaryZh: '重新查询所有符合条件的包裹',
    description: `Checks every matching shipment now, like \`POST /trackings/retrack/{id}\`. Those that were retracked less than 1 hour ago are skipped. ${WHICH}\n\n${IN_BACKGROUND}`,
    conflict: CONFLICT,
    example: { request: { filter: EXAMPLE.filter }, response: EXAMPLE },
  },
});

export const bulkStop = defineOperation({
  method: 'post',
  path: '/bulk/stop',
  limit: 'bulk',
  repeat: 'keyed',
  scope: 'write',
  input: 'body',
  request: bulkRequest,
  strict: true,
  response: bulkAction,
  status: 202,
  doc: {
    id: 'bulkStop',
    tag: 'Bulk actions',
    summary: 'Stop polling all that match',
    summaryZh: '停止查询所有符合条件的包裹',
    description: `Stops polling every matching shipment, like \`POST /trackings/{id}/stop\`. The shipments stay, and a retrack resumes polling. ${WHICH}\n\n${IN_BACKGROUND}`,
    conflict: CONFLICT,
    example: {
      request: { filter: { needs_attention: 'no_news' } },
      response: { ...EXAMPLE, action: 'stop', filter: { needs_attention: 'no_news' } },
    },
  },
});

export const bulkDelete = defineOperation({
  method: 'post',
  path: '/bulk/delete',
  limit: 'bulk',
  repeat: 'keyed',
  scope: 'write',
  input: 'body',
  request: {
    title: 'BulkDeletion',
    type: 'object',
    properties: {
      ...bulkRequest.properties,
      all: {
        type: 'boolean',
        description: 'Must be true if the filter is empty, to confirm that all shipments of the account are deleted.',
      },
    },
  },
  strict: true,
  response: bulkAction,
  status: 202,
  doc: {
    id: 'bulkDelete',
    tag: 'Bulk actions',
    summary: 'Delete all that match',
    summaryZh: '删除所有符合条件的包裹',
    description: `Deletes every matching shipment, like \`DELETE /trackings/{id}\`. Check with \`dry_run\` first. For 24 hours, \`POST /trackings/restore\` brings them back. An empty filter is rejected unless \`all\` is true. ${WHICH}\n\n${IN_BACKGROUND}`,
    conflict: CONFLICT,
    example: {
      request: { filter: { status: '已签收', created_before: '2025-11-01T00:00:00Z' } },
      response: {
        ...EXAMPLE,
        action: 'delete',
        filter: { status: '已签收', created_before: '2025-11-01T00:00:00Z' },
      },
    },
  },
});

export const bulkRedeliver = defineOperation({
  method: 'post',
  path: '/bulk/redeliver',
  limit: 'bulk',
  repeat: 'keyed',
  scope: 'webhooks',
  input: 'body',
  request: bulkRedeliverRequest,
  strict: true,
  response: bulkAction,
  status: 202,
  doc: {
    id: 'bulkRedeliver',
    tag: 'Bulk actions',
    summary: 'Resend all that match',
    summaryZh: '重新推送所有符合条件的消息',
    description: `Resends messages, like \`POST /webhooks/deliveries/{id}/redeliver\`, once to each webhook whose last attempt at the time of the request matches the filter. Messages that are already due, or were resent in the meantime, are skipped. To send everything from a time range, including events that a webhook has never received, use \`POST /webhooks/{id}/replay\`.\n\n${IN_BACKGROUND}`,
    conflict: CONFLICT,
    example: {
      request: { filter: { outcome: 'exhausted', since: '2026-03-01T16:00:00Z' } },
      response: {
        ...EXAMPLE,
        action: 'redeliver',
        filter: { outcome: 'exhausted', since: '2026-03-01T16:00:00Z' },
      },
    },
  },
});

export const listBulkActions = defineOperation({
  method: 'get',
  path: '/bulk',
  limit: 'bulk',
  repeat: 'safe',
  scope: 'read',
  input: null,
  request: NO_INPUT,
  response: object(
    {
      count: entryCount,
      bulk_actions: {
        type: 'array',
        items: bulkAction,
        description: `The last ${MAX_BULK_ACTIONS} bulk actions and the last ${MAX_BULK_ACTIONS} dry runs, newest first.`,
      },
    },
    { title: 'BulkActionList' },
  ),
  doc: {
    id: 'listBulkActions',
    tag: 'Bulk actions',
    summary: 'List bulk actions',
    summaryZh: '列出批量操作',
    description: `The last ${MAX_BULK_ACTIONS} bulk actions and the last ${MAX_BULK_ACTIONS} dry runs of the last ${BULK_ACTION_DAYS} days, newest first.`,
    example: { response: { count: 1, bulk_actions: [DONE] } },
  },
});

export const getBulkAction = defineOperation({
  method: 'get',
  path: '/bulk/:id',
  limit: 'bulk',
  repeat: 'safe',
  scope: 'read',
  input: 'params',
  request: bulkActionById,
  response: bulkAction,
  doc: {
    id: 'getBulkAction',
    tag: 'Bulk actions',
    summary: 'Read the progress of a bulk action',
    summaryZh: '查看批量操作进度',
    errors: ['not_found', 'invalid_id'],
    example: { response: DONE },
  },
});

export const cancelBulkAction = defineOperation({
  method: 'delete',
  path: '/bulk/:id',
  limit: 'bulk',
  repeat: 'safe',
  scope: null,
  input: 'params',
  request: bulkActionById,
  response: bulkAction,
  doc: {
    id: 'cancelBulkAction',
    tag: 'Bulk actions',
    summary: 'Cancel a bulk action',
    summaryZh: '取消批量操作',
    description:
      'The bulk action ends within a moment. Completed changes are kept. A bulk action that has already ended is returned unchanged. The key needs the scope of the action: `webhooks` for a redelivery, `write` for the others.',
    errors: ['not_found', 'invalid_id'],
    example: { response: { ...DONE, state: 'cancelled', done: 200, skipped: 0, progress: 4, reasons: [] } },
  },
});
