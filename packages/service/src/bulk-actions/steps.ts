import type { BulkActionName } from '@pts/core/bulk-actions';
import { RETRACK_INTERVAL_SECONDS } from '@pts/core/tracking/schedule';
import { deleteTracking, stopTracking } from '@pts/db/trackings/records';
import { beginRedelivery } from '../deliveries/redeliver.ts';
import { grantRetrack } from '../trackings/trackings.ts';
import type { Step, Target } from './action.ts';
import { messages } from './messages.ts';
import { shipments } from './shipments.ts';

/** Its check is due. No job hastens it: checks that somebody waits for come first. */
const retrack: Step = async (ctx, { accountId, id, at, isAgain }) => {
  const now = ctx.now();
  const result = await grantRetrack(ctx, { accountId, id, now });
  if (result.kind === 'not_registered') return 'deleted';
  if (result.kind === 'retracked') return 'done';
  const retrackedAt = now.getTime() - (RETRACK_INTERVAL_SECONDS - result.retryAfterSeconds) * 1000;
  return isAgain && retrackedAt >= at.getTime() ? 'done' : 'retracked';
};

const stop: Step = async ({ db, now }, { accountId, id, at, isAgain }) => {
  const result = await stopTracking(db, { accountId, id, now: now() });
  if (result.kind === 'not_registered') return 'deleted';
  if (result.kind === 'stopped') return 'done';
  return isAgain && result.stoppedAt !== null && result.stoppedAt >= at ? 'done' : 'stopped';
};

const remove: Step = async ({ db }, { accountId, id, isAgain }) =>
  (await deleteTracking(db, accountId, id)) || isAgain ? 'done' : 'deleted';

const redeliver: Step = async (ctx, { accountId, id, isAgain }) => {
  const result = await beginRedelivery(ctx, { accountId, recordId: id, isOnce: true });
  if (!result || result.outcome === 'ping') return 'expired';
  const { outcome, found } = result;
  if (outcome === 'begun') return 'done';
  return isAgain && found.round > found.recordRound ? 'done' : outcome;
};

/** Each bulk action: which ones it is for, and what it does to one of them. */
export const ACTIONS: Record<BulkActionName, { target: Target; step: Step }> = {
  retrack: { target: shipments, step: retrack },
  stop: { target: shipments, step: stop },
  delete: { target: shipments, step: remove },
  redeliver: { target: messages, step: redeliver },
};
