import { isDeepStrictEqual } from 'node:util';
import type { bulkRedeliverRequest } from '@pts/contract/bulk-actions';
import type { Infer } from '@pts/contract/schema';
import { type BulkActionName, type BulkCounts, type BulkReason, countOutcome } from '@pts/core/bulk-actions';
import { chunks } from '@pts/core/chunks';
import { nestedEntries } from '@pts/core/entries';
import { refusedField, ServiceError } from '@pts/core/errors';
import { message, storedMessage } from '@pts/core/languages/message';
import { RETRACK_INTERVAL_SECONDS } from '@pts/core/tracking/schedule';
import { findAccount } from '@pts/db/accounts/accounts';
import {
  type BulkAction,
  type BulkPlace,
  cancelBulkAction as cancel,
  claimBulkAction,
  endBulkAction,
  findBulkAction as find,
  findUnfinished,
  insertBulkAction,
  type NewBulkAction,
  savePlace,
} from '@pts/db/bulk-actions';
import type { Db } from '@pts/db/connection';
import { type LastRecordFilter, newestRecord, walkLastRecords } from '@pts/db/deliveries/log';
import type { Run, RunKey } from '@pts/db/run-leases';
import { countShipments, listShipments, type ShipmentFilter } from '@pts/db/shipments';
import { deleteTracking, stopTracking } from '@pts/db/trackings/records';
import { type BackgroundContext, rest, type Stops, withLease } from './background-runs.ts';
import type { ServiceContext } from './context.ts';
import { beginRedelivery } from './deliveries.ts';
import { momentOf, readFilter } from './shipments.ts';
import { grantRetrack } from './trackings/trackings.ts';

type BulkRequest = { accountId: string; action: BulkActionName; filter: Record<string, string> };

/** For how many it is meant, and the dry run that has counted them: without it, what matches now is meant. */
type Expected = { expectedCount?: number | undefined; dryRunId?: string | undefined };

type Context = Pick<ServiceContext, 'db' | 'producer' | 'audit' | 'now'>;
/** A request, and what it is for: fixed by the time of its question. */
type Counted = BulkRequest & Pick<NewBulkAction, 'asOf' | 'ceiling' | 'matched' | 'isLowerBound'>;

/**
 * Counts for how many a bulk action would be now: at once or, if that takes long, in the background.
 * @throws ServiceError `conflict` if it takes long, while a bulk action of the account has not ended.
 */
export async function countForBulkAction(ctx: Context, request: BulkRequest): Promise<BulkAction> {
  return store(ctx, { ...(await countNow(ctx, request)), dryRun: true });
}

/**
 * Starts to do something to everything that a filter matches now, or matched when a dry run counted it; pollers run it
 * in the background.
 * @throws ServiceError `conflict` while another bulk action of the account has not ended, or if others match than are
 * expected.
 */
export async function startBulkAction(
  ctx: Context,
  { expectedCount, dryRunId, ...request }: BulkRequest & Expected,
): Promise<BulkAction> {
  const counted = dryRunId === undefined ? await countNow(ctx, request) : await countedBy(ctx, dryRunId, request);
  refuseOthers(counted, expectedCount);
  return store(ctx, { ...counted, dryRun: false });
}

async function countNow(ctx: Context, request: BulkRequest): Promise<Counted> {
  const ceiling = request.action === 'redeliver' ? await newestRecord(ctx.db) : null;
  const scope = { ...request, ceiling, asOf: ctx.now() };
  const { total: matched, isLowerBound } = await ACTIONS[request.action].target.count(ctx, scope);
  return { ...scope, matched, isLowerBound };
}

async function countedBy({ db }: Context, id: string, request: BulkRequest): Promise<Counted> {
  const found = await find(db, request.accountId, id);
  if (!found?.dryRun) throw refusedField('dry_run_id', message('field.no_dry_run'));
  if (
    ACTIONS[found.action].target !== ACTIONS[request.action].target ||
    !isDeepStrictEqual(found.filter, request.filter)
  )
    throw refusedField('dry_run_id', message('field.other_dry_run'));
  if (found.state !== 'done')
    throw new ServiceError('conflict', { text: message('dry_run_not_done', { run: id, state: found.state }) });
  const { asOf, ceiling, matched, isLowerBound } = found;
  return { ...request, asOf, ceiling, matched, isLowerBound };
}

function refuseOthers({ matched, isLowerBound }: Counted, expected: number | undefined): void {
  if (expected === undefined || (expected === matched && !isLowerBound)) return;
  const text = message(isLowerBound ? 'other_count_or_more' : 'other_count', { expected, matched });
  throw new ServiceError('conflict', { text, details: { expected_count: expected, matched } });
}

async function store({ db, producer, audit, now }: Context, counted: Omit<NewBulkAction, 'now'>): Promise<BulkAction> {
  const stored = await insertBulkAction(db, { ...counted, now: now() }, async (tx, { id, matched, dryRun }) => {
    if (!dryRun) await audit?.(tx, { id, matched });
  });
  if (!stored) throw await alreadyRunning(db, counted.accountId);
  const { id, accountId, finishedAt } = stored;
  if (finishedAt === null) await producer.startRun({ kind: 'bulk-action', id, accountId });
  return stored;
}

async function alreadyRunning(db: ServiceContext['db'], accountId: string): Promise<ServiceError> {
  const other = await findUnfinished(db, accountId);
  const which = other
    ? message(other.dryRun ? 'which_dry_run' : 'which_action', { action: other.action, run: other.id })
    : '';
  return new ServiceError('conflict', { text: message('bulk_action_running', { which }) });
}

/** @throws ServiceError `not_found` when the account has no such bulk action. */
export async function findBulkAction(
  { db }: Pick<ServiceContext, 'db'>,
  { accountId, id }: RunKey,
): Promise<BulkAction> {
  const found = await find(db, accountId, id);
  if (found) return found;
  throw new ServiceError('not_found', { text: message('no_such_bulk_action') });
}

/** Ends a bulk action if it has not ended; what it has done stays so. @throws ServiceError `not_found`. */
export async function cancelBulkAction(ctx: Pick<ServiceContext, 'db' | 'now'>, key: RunKey): Promise<BulkAction> {
  await cancel(ctx.db, key, ctx.now());
  return findBulkAction(ctx, key);
}

export type BulkActionContext = ActionContext & BackgroundContext;

/** Steps at once: few enough that other work of this process finds a connection. */
const CONCURRENCY = 4;
const INTERNAL_ERROR = storedMessage(message('bulk.internal'));

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
  { id: bulkActionId, action, accountId, createdAt: at, ...found }: BulkAction,
  { ids, changed }: BulkPlace,
  { isAgain, counts }: { isAgain: boolean; counts: BulkCounts },
): Promise<void> {
  const { step } = ACTIONS[action];
  for (const id of changed) countOutcome(counts, id, 'changed');
  for (const some of chunks(ids.slice(0, remaining(found, counts)), CONCURRENCY)) {
    const outcomes = await Promise.all(some.map((id) => step(ctx, { accountId, id, at, isAgain, bulkActionId })));
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

/** The dependencies of the actions. */
type ActionContext = Pick<ServiceContext, 'db' | 'producer' | 'providers' | 'now'>;

/** Which ones: of an account, as of a time. */
type BulkScope = Pick<BulkAction, 'accountId' | 'filter' | 'ceiling' | 'asOf'>;

/** How many match; `isLowerBound` if there may be more. */
type Matched = { total: number; isLowerBound: boolean };

/** A kind of records that a bulk action is done to. */
type Target = {
  /** Counts the matching records, as far as a request has time to. */
  count(ctx: Pick<ServiceContext, 'db'>, scope: BulkScope): Promise<Matched>;
  /**
   * The next ones behind a place, or the first: as many as are acted upon together or, for a dry run, counted together.
   */
  next(
    ctx: Pick<ServiceContext, 'db'>,
    scope: BulkScope & Pick<BulkAction, 'dryRun'>,
    after: string | null,
  ): Promise<BulkPlace>;
};

/**
 * Does it to one of them.
 * @param isAgain whether it may have been done before, by a run of this bulk action that was interrupted: then it
 *   counts as done.
 */
type Step = (
  ctx: ActionContext,
  input: { accountId: string; id: string; at: Date; isAgain: boolean; bulkActionId: string },
) => Promise<'done' | BulkReason>;

/** Shipments that are listed together, to be acted upon or counted. */
const SHIPMENT_BATCH = { acted: 100, counted: 1000 } as const;
const SECOND_MS = 1000;
const OLDEST_FIRST = { by: 'created', isAscending: true } as const;

/**
 * The shipments that a filter matches, in the order of their registration; those that are registered later are not
 * among them.
 */
const shipments: Target = {
  count: async ({ db }, scope) => countShipments(db, await filterOf(db, scope)),
  async next({ db }, scope, after): Promise<BulkPlace> {
    const filter = await filterOf(db, scope);
    const { asOf, dryRun } = scope;
    const page = await listShipments(db, {
      filter: { ...filter, created: until(filter, asOf) },
      order: OLDEST_FIRST,
      after: after === null ? undefined : { updatedAt: asOf, id: after },
      limit: dryRun ? SHIPMENT_BATCH.counted : SHIPMENT_BATCH.acted,
    });
    const rows = page.rows.filter(({ createdAt }) => createdAt <= asOf);
    const isChanged = ({ updatedAt }: { updatedAt: Date }) => dependsOnState(filter) && updatedAt > asOf;
    return {
      ids: rows.filter((row) => !isChanged(row)).map(({ id }) => id),
      changed: rows.filter(isChanged).map(({ id }) => id),
      next: page.next?.id ?? null,
    };
  },
};

async function filterOf(db: Db, { accountId, filter, asOf }: BulkScope): Promise<ShipmentFilter> {
  const account = 'needs_attention' in filter ? await findAccount(db, accountId) : null;
  const query = nestedEntries(filter, ['metadata']);
  return readFilter({ id: accountId, attention: account?.attention ?? null }, query, asOf);
}

/** To the second: ids have no more. */
function until({ created = {} }: ShipmentFilter, asOf: Date) {
  const next = new Date(asOf.getTime() + SECOND_MS);
  return { ...created, until: created.until !== undefined && created.until < next ? created.until : next };
}

/** Whether news of a parcel may change whether it matches. */
function dependsOnState({ states, attention, updated }: ShipmentFilter): boolean {
  return [states, attention, updated].some((part) => part !== undefined);
}

type Query = NonNullable<Infer<typeof bulkRedeliverRequest>['filter']>;

/** Messages that are acted upon together. */
const MESSAGE_BATCH = 100;
/** Records that are read for a batch, and to count. */
const DEPTH = { batch: 1000, count: 5000 } as const;

/** The messages that a filter matches by the last record of each, newest first. Later records are not looked at. */
const messages: Target = {
  async count({ db }, scope) {
    const filter = recordFilterOf(scope);
    const { ids, next } = await walkLastRecords(db, filter, { before: upTo(filter.ceiling), depth: DEPTH.count });
    return { total: ids.length, isLowerBound: next !== null };
  },
  async next({ db }, scope, after) {
    const filter = recordFilterOf(scope);
    const before = after === null ? upTo(filter.ceiling) : after;
    const { ids, next } = await walkLastRecords(db, filter, { before, depth: DEPTH.batch });
    const batch = scope.dryRun ? ids : ids.slice(0, MESSAGE_BATCH);
    const end = ids.length > batch.length ? (batch.at(-1) ?? null) : next;
    return { ids: batch, changed: [], next: end };
  },
};

/** Before it are this id and all lower ones. */
const upTo = (id: string) => `${id}0`;

function recordFilterOf({ accountId, filter, ceiling }: BulkScope): LastRecordFilter {
  // It was checked when it was asked for.
  const { webhook_id, event, message_id, tracking_id, failed, status_code, outcome, since, until } = filter as Query;
  return {
    accountId,
    webhookId: webhook_id,
    event,
    messageId: message_id,
    trackingId: tracking_id,
    failed: failed === undefined ? undefined : failed === 'true',
    statusCode: status_code === undefined ? undefined : Number(status_code),
    outcome,
    since: momentOf(since),
    until: momentOf(until),
    ceiling: ceiling ?? '',
  };
}

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

const remove: Step = async ({ db, now }, { accountId, id, isAgain, bulkActionId }) =>
  (await deleteTracking(db, { accountId, id, now: now(), bulkActionId })) || isAgain ? 'done' : 'deleted';

const redeliver: Step = async (ctx, { accountId, id, isAgain }) => {
  const result = await beginRedelivery(ctx, { accountId, recordId: id, isOnce: true });
  if (!result || result.outcome === 'ping') return 'expired';
  const { outcome, found } = result;
  if (outcome === 'begun') return 'done';
  return isAgain && found.round > found.recordRound ? 'done' : outcome;
};

/** Each bulk action: which ones it is for, and what it does to one of them. */
const ACTIONS: Record<BulkActionName, { target: Target; step: Step }> = {
  retrack: { target: shipments, step: retrack },
  stop: { target: shipments, step: stop },
  delete: { target: shipments, step: remove },
  redeliver: { target: messages, step: redeliver },
};
