import type { BulkActionName } from '@pts/core/bulk-actions/actions';
import { ServiceError } from '@pts/core/errors';
import { type BulkAction, findUnfinished, insertBulkAction } from '@pts/db/bulk-actions/bulk-actions';
import type { ServiceContext } from '../context.ts';
import type { BulkScope, Matched } from './action.ts';
import { ceilingNow } from './messages.ts';
import { ACTIONS } from './steps.ts';

export type BulkRequest = { accountId: string; action: BulkActionName; filter: Record<string, string> };

/** How many a bulk action would be for, now. Nothing is stored. */
export async function previewBulkAction(
  ctx: Pick<ServiceContext, 'db' | 'now'>,
  request: BulkRequest,
): Promise<Matched> {
  return ACTIONS[request.action].target.count(ctx, await requestedNow(ctx, request));
}

/**
 * Starts to do something to everything that a filter matches now; pollers run it in the background.
 * @throws ServiceError `conflict` while another bulk action of the account has not ended.
 */
export async function startBulkAction(
  ctx: Pick<ServiceContext, 'db' | 'producer' | 'now'>,
  request: BulkRequest,
): Promise<BulkAction> {
  const { db, producer } = ctx;
  const requested = await requestedNow(ctx, request);
  const { total: matched, isLowerBound } = await ACTIONS[request.action].target.count(ctx, requested);
  const { ceiling, at: now } = requested;
  const started = await insertBulkAction(db, { ...request, matched, isLowerBound, ceiling, now });
  if (!started) throw await alreadyRunning(db, request.accountId);
  await producer.startRun({ kind: 'bulk-action', id: started.id, accountId: request.accountId });
  return started;
}

async function requestedNow(ctx: Pick<ServiceContext, 'db' | 'now'>, request: BulkRequest): Promise<BulkScope> {
  const ceiling = request.action === 'redeliver' ? await ceilingNow(ctx) : null;
  return { ...request, ceiling, at: ctx.now() };
}

async function alreadyRunning(db: ServiceContext['db'], accountId: string): Promise<ServiceError> {
  const other = await findUnfinished(db, accountId);
  const which = other ? ` (${other.action}, id ${other.id})` : '';
  return new ServiceError('conflict', {
    text: `An account can have one bulk action at a time, and another one${which} has not ended. Wait for it, or cancel it: DELETE /api/v1/bulk/{id}.`,
  });
}
