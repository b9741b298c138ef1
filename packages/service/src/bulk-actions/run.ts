import { type BulkCounts, countOutcome } from '@pts/core/bulk-actions';
import { chunks } from '@pts/core/chunks';
import { findAccount } from '@pts/db/accounts/accounts';
import type { BulkAction, BulkPlace } from '@pts/db/bulk-actions/bulk-actions';
import { claimBulkAction, endBulkAction, savePlace } from '@pts/db/bulk-actions/runs';
import type { Run, RunKey } from '@pts/db/runs/leases';
import { type BackgroundContext, rest, type Stops, withLease } from '../runs/background.ts';
import type { ActionContext } from './action.ts';
import { ACTIONS } from './steps.ts';

export type BulkActionContext = ActionContext & BackgroundContext;

/** Steps at once: few enough that other work of this process finds a connection. */
const CONCURRENCY = 4;
const INTERNAL_ERROR = 'An internal error has stopped it. What it has done stays so: start it again for the rest.';

/**
 * Works on a bulk action, or counts for a dry run, until it has ended or the process stops, if no other process does. A
 * batch is stored before it is worked on, with the counts of those before it: after a kill, another process works on it
 * again, and each step sees what was done already.
 */
export async function runBulkAction(ctx: BulkActionContext, key: RunKey): Promise<void> {
  const { db, now } = ctx;
  const claimed = await claimBulkAction(db, key, now());
  if (!claimed) return;
  await withLease(ctx, 'bulk_actions', claimed, {
    work: (stops) => (claimed.found.dryRun ? countOn : work)(ctx, claimed, stops),
    end: () => endBulkAction(db, claimed.run, { error: INTERNAL_ERROR, now: now() }),
  });
}

type Claimed = { run: Run; found: BulkAction };

async function work(ctx: BulkActionContext, { run, found }: Claimed, { nextBatch }: Stops): Promise<void> {
  const { db, now } = ctx;
  const { target } = ACTIONS[found.action];
  const counts: BulkCounts = { done: found.done, skipped: found.skipped, failed: found.failed, reasons: found.reasons };
  let isAgain = found.place !== null;
  let place = found.place ?? (await target.next(ctx, found, null));
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
    place = await target.next(ctx, found, place.next);
    await rest(ctx, startedAt);
  }
  await endBulkAction(db, run, { counts, now: now() });
}

/** Counts for a dry run what its request had no time to count. */
async function countOn(ctx: BulkActionContext, { run, found }: Claimed, { nextBatch }: Stops): Promise<void> {
  const { db, now } = ctx;
  const { target } = ACTIONS[found.action];
  let { counted = 0, next } = found.place ?? { next: null };
  for (;;) {
    await nextBatch();
    const startedAt = performance.now();
    const page = await target.next(ctx, found, next);
    counted += page.ids.length;
    next = page.next;
    if (next === null) break;
    const counts = { matched: Math.max(counted, found.matched) };
    if (!(await savePlace(db, run, { counts, place: { ids: [], changed: [], next, counted }, now: now() }))) return;
    await rest(ctx, startedAt, 'count');
  }
  await endBulkAction(db, run, { counts: { matched: counted, isLowerBound: false }, now: now() });
}

async function workOn(
  ctx: ActionContext,
  { action, accountId, createdAt: at, ...found }: BulkAction,
  { ids, changed }: BulkPlace,
  { isAgain, counts }: { isAgain: boolean; counts: BulkCounts },
): Promise<void> {
  const { step } = ACTIONS[action];
  for (const id of changed) countOutcome(counts, id, 'changed');
  for (const some of chunks(ids.slice(0, remaining(found, counts)), CONCURRENCY)) {
    const outcomes = await Promise.all(some.map((id) => step(ctx, { accountId, id, at, isAgain })));
    for (const [n, id] of some.entries()) countOutcome(counts, id, outcomes[n] ?? 'done');
  }
}

/** How many may still be acted upon: never more than were counted, whatever has come to match since. */
function remaining(
  { matched, isLowerBound }: Pick<BulkAction, 'matched' | 'isLowerBound'>,
  counts: BulkCounts,
): number {
  if (isLowerBound) return Number.POSITIVE_INFINITY;
  const changed = counts.reasons.find(({ reason }) => reason === 'changed')?.count ?? 0;
  return matched - (counts.done + counts.skipped + counts.failed - changed);
}
