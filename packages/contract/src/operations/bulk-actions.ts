import { BULK_ACTION_DAYS, MAX_BULK_ACTIONS } from '@pts/core/bulk-actions';
import { defineOperation, NO_INPUT } from '../operation.ts';
import {
  bulkActionById,
  bulkActionsResponse,
  bulkAction as bulkActionView,
  bulkDeleteRequest,
  bulkRedeliverRequest,
  bulkRequest,
} from '../schemas/bulk-actions.ts';
import { EXAMPLE_ID } from './examples.ts';

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

const IN_BACKGROUND = `The response comes at once; \`GET /bulk/{id}\` shows the progress, and \`DELETE /bulk/{id}\` cancels. With \`dry_run\`, nothing is done: \`matched\` is how many match, at once or, if they are many, once \`state\` is \`done\`. Sent as \`dry_run_id\`, its \`id\` starts the bulk action for exactly these; \`expected_count\` is how many you mean. An account can have one bulk action at a time: another one is refused with 409 until it has ended. The last ${MAX_BULK_ACTIONS}, and as many dry runs, are kept for ${BULK_ACTION_DAYS} days.`;
const WHICH =
  'Shipments that are registered after the request are not included. If the filter says something about the state (`status`, `needs_attention`, `updated_after`, `updated_before`), those with news since the request are skipped.';

const CONFLICT = {
  when: 'Another bulk action of the account has not ended, others match than `expected_count`, the dry run is not done, or the `Idempotency-Key` belongs to another request.',
  message:
    'An account can have one bulk action at a time, and another one (stop, id 69a47c11c2d3e4f506172842) has not ended. Wait for it, or cancel it: DELETE /api/v1/bulk/{id}.',
};

/** Retracks all shipments that match. */
export const bulkRetrack = defineOperation({
  method: 'post',
  path: '/bulk/retrack',
  limit: 'bulk',
  repeat: 'keyed',
  scope: 'write',
  input: 'body',
  request: bulkRequest,
  strict: true,
  response: bulkActionView,
  status: 202,
  doc: {
    id: 'bulkRetrack',
    tag: 'Bulk actions',
    summary: 'Retrack all that match',
    summaryZh: '重新查询所有符合条件的包裹',
    description: `Checks every shipment that the filter matches again, as \`POST /trackings/retrack/{id}\` does: those that were retracked less than 1 hour ago are skipped. ${WHICH}\n\n${IN_BACKGROUND}`,
    conflict: CONFLICT,
    example: { request: { filter: EXAMPLE.filter }, response: EXAMPLE },
  },
});

/** Stops polling all shipments that match. */
export const bulkStop = defineOperation({
  method: 'post',
  path: '/bulk/stop',
  limit: 'bulk',
  repeat: 'keyed',
  scope: 'write',
  input: 'body',
  request: bulkRequest,
  strict: true,
  response: bulkActionView,
  status: 202,
  doc: {
    id: 'bulkStop',
    tag: 'Bulk actions',
    summary: 'Stop polling all that match',
    summaryZh: '停止查询所有符合条件的包裹',
    description: `Stops polling every shipment that the filter matches, as \`POST /trackings/{id}/stop\` does: they stay, and a retrack resumes them. ${WHICH}\n\n${IN_BACKGROUND}`,
    conflict: CONFLICT,
    example: {
      request: { filter: { needs_attention: 'no_news' } },
      response: { ...EXAMPLE, action: 'stop', filter: { needs_attention: 'no_news' } },
    },
  },
});

/** Deletes all shipments that match. */
export const bulkDelete = defineOperation({
  method: 'post',
  path: '/bulk/delete',
  limit: 'bulk',
  repeat: 'keyed',
  scope: 'write',
  input: 'body',
  request: bulkDeleteRequest,
  strict: true,
  response: bulkActionView,
  status: 202,
  doc: {
    id: 'bulkDelete',
    tag: 'Bulk actions',
    summary: 'Delete all that match',
    summaryZh: '删除所有符合条件的包裹',
    description: `Deletes every shipment that the filter matches, as \`DELETE /trackings/{id}\` does. It cannot be undone: ask with \`dry_run\` first. An empty filter is refused unless \`all\` is true. ${WHICH}\n\n${IN_BACKGROUND}`,
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

/** Sends all messages that match again. */
export const bulkRedeliver = defineOperation({
  method: 'post',
  path: '/bulk/redeliver',
  limit: 'bulk',
  repeat: 'keyed',
  scope: 'webhooks',
  input: 'body',
  request: bulkRedeliverRequest,
  strict: true,
  response: bulkActionView,
  status: 202,
  doc: {
    id: 'bulkRedeliver',
    tag: 'Bulk actions',
    summary: 'Send all that match again',
    summaryZh: '重新推送所有符合条件的消息',
    description: `Sends messages again, as \`POST /webhooks/deliveries/{id}/redeliver\` does: each once to each webhook, whose last attempt at the time of the request matches the filter. Those that are due already, or were sent again meanwhile, are skipped. To send everything from a time range, also what a webhook has never received, use \`POST /webhooks/{id}/replay\`.\n\n${IN_BACKGROUND}`,
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

/** The bulk actions of an account. */
export const listBulkActions = defineOperation({
  method: 'get',
  path: '/bulk',
  limit: 'bulk',
  repeat: 'safe',
  scope: 'read',
  input: null,
  request: NO_INPUT,
  response: bulkActionsResponse,
  doc: {
    id: 'listBulkActions',
    tag: 'Bulk actions',
    summary: 'List bulk actions',
    summaryZh: '列出批量操作',
    description: `The last ${MAX_BULK_ACTIONS}, and as many dry runs, newest first, as far as they are not older than ${BULK_ACTION_DAYS} days.`,
    example: { response: { count: 1, bulk_actions: [DONE] } },
  },
});

/** One bulk action and its progress. */
export const getBulkAction = defineOperation({
  method: 'get',
  path: '/bulk/:id',
  limit: 'bulk',
  repeat: 'safe',
  scope: 'read',
  input: 'params',
  request: bulkActionById,
  response: bulkActionView,
  doc: {
    id: 'getBulkAction',
    tag: 'Bulk actions',
    summary: 'Read the progress of a bulk action',
    summaryZh: '查看批量操作进度',
    errors: ['not_found', 'invalid_id'],
    example: { response: DONE },
  },
});

/** Cancels a bulk action. */
export const cancelBulkAction = defineOperation({
  method: 'delete',
  path: '/bulk/:id',
  limit: 'bulk',
  repeat: 'safe',
  scope: null,
  input: 'params',
  request: bulkActionById,
  response: bulkActionView,
  doc: {
    id: 'cancelBulkAction',
    tag: 'Bulk actions',
    summary: 'Cancel a bulk action',
    summaryZh: '取消批量操作',
    description:
      'It ends within a moment. What it has done stays so. One that has ended is returned unchanged. The key needs the scope of the action: `webhooks` for a redelivery, `write` for the others.',
    errors: ['not_found', 'invalid_id'],
    example: { response: { ...DONE, state: 'cancelled', done: 200, skipped: 0, progress: 4, reasons: [] } },
  },
});
