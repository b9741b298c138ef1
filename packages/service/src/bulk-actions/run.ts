import { type BulkCounts, countOutcome } from '@pts/core/bulk-actions/reasons';
import { chunks } from '@pts/core/chunks';
import { findAccount } from '@pts/db/accounts/accounts';
import type { BulkAction, BulkPlace } from '@pts/db/bulk-actions/bulk-actions';
import { claimBulkAction, endBulkAction, savePlace } from '@pts/db/bulk-actions/runs';
import type { Run, RunKey } from '@pts/db/runs/leases';
import { type BackgroundContext, rest, type Stops, withLease } from '../runs/background.ts';
import type { ActionContext, BulkScope } from './action.ts';
import { ACTIONS } from './steps.ts';

export type BulkActionContext = ActionContext & BackgroundContext;

/** Steps at once: few enough that other work of this process finds a connection. */
const CONCURRENCY = 4;
const INTERNAL_ERROR = 'An internal error has stopped it. What it has done stays so: start it again for the rest.';

/**
 * Works on a bulk action until it has ended or the process stops, if no other process does. A batch is stored before it is worked
 * on, with the counts of those before it: after a kill, another process works on it again, and each step sees what was done
 * already.
 */
export async function runBulkAction(ctx: BulkActionContext, key: RunKey): Promise<void> {
  const { db, now } = ctx;
  const claimed = await claimBulkAction(db, key, now());
  if (!claimed) return;
  await withLease(ctx, 'bulk_actions', claimed, {
    work: (stops) => work(ctx, claimed, stops),
    end: () => endBulkAction(db, claimed.run, { error: INTERNAL_ERROR, now: now() }),
  });
}

async function work(
  ctx: BulkActionContext,
  { run, found }: { run: Run; found: BulkAction },
  { nextBatch }: Stops,
): Promise<void> {
  const { db, now } = ctx;
  const { target } = ACTIONS[found.action];
  const requested: BulkScope = { ...found, at: found.createdAt };
  const counts: BulkCounts = { done: found.done, skipped: found.skipped, failed: found.failed, reasons: found.reasons };
  let isAgain = found.place !== null;
  let place = found.place ?? (await target.next(ctx, requested, null));
  for (;;) {
    // Also those of an interrupted run: the lease is renewed, or another process has it.
    if (!(await savePlace(db, run, { counts, place, now: now() }))) return;
    await nextBatch();
    const account = await findAccount(db, found.accountId);
    if (!account || account.disabledAt !== null)
      return await endBulkAction(db, run, { counts, error: 'The account is disabled.', now: now() });
    const startedAt = performance.now();
    await workOn(ctx, found, place, { isAgain, counts });
    if (place.next === null) break;
    isAgain = false;
    place = await target.next(ctx, requested, place.next);
    await rest(ctx, startedAt);
  }
  await endBulkAction(db, run, { counts, now: now() });
}

async function workOn(
  ctx: ActionContext,
  { action, accountId, createdAt: at }: BulkAction,
  { ids, changed }: BulkPlace,
  { isAgain, counts }: { isAgain: boolean; counts: BulkCounts },
): Promise<void> {
  const { step } = ACTIONS[action];
  for (const id of changed) countOutcome(counts, id, 'changed');
  for (const some of chunks(ids, CONCURRENCY)) {
    const outcomes = await Promise.all(some.map((id) => step(ctx, { accountId, id, at, isAgain })));
    for (const [n, id] of some.entries()) countOutcome(counts, id, outcomes[n] ?? 'done');
  }
}
