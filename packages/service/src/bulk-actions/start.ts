import { isDeepStrictEqual } from 'node:util';
import type { BulkActionName } from '@pts/core/bulk-actions';
import { refusedField, ServiceError } from '@pts/core/errors';
import {
  type BulkAction,
  findBulkAction,
  findUnfinished,
  insertBulkAction,
  type NewBulkAction,
} from '@pts/db/bulk-actions/bulk-actions';
import type { ServiceContext } from '../context.ts';
import { ceilingNow } from './messages.ts';
import { ACTIONS } from './steps.ts';

export type BulkRequest = { accountId: string; action: BulkActionName; filter: Record<string, string> };

/** For how many it is meant, and the dry run that has counted them: without it, what matches now is meant. */
export type Expected = { expectedCount?: number | undefined; dryRunId?: string | undefined };

type Context = Pick<ServiceContext, 'db' | 'producer' | 'now'>;
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
  const ceiling = request.action === 'redeliver' ? await ceilingNow(ctx) : null;
  const scope = { ...request, ceiling, asOf: ctx.now() };
  const { total: matched, isLowerBound } = await ACTIONS[request.action].target.count(ctx, scope);
  return { ...scope, matched, isLowerBound };
}

async function countedBy({ db }: Context, id: string, request: BulkRequest): Promise<Counted> {
  const found = await findBulkAction(db, request.accountId, id);
  if (!found?.dryRun) throw refusedField('dry_run_id', 'is not a dry run of your account, or it has expired');
  if (
    ACTIONS[found.action].target !== ACTIONS[request.action].target ||
    !isDeepStrictEqual(found.filter, request.filter)
  )
    throw refusedField('dry_run_id', 'is a dry run with another filter');
  if (found.state !== 'done')
    throw new ServiceError('conflict', {
      text: `The dry run ${id} is ${found.state}: start with one that is done. GET /api/v1/bulk/{id} shows its count.`,
    });
  const { asOf, ceiling, matched, isLowerBound } = found;
  return { ...request, asOf, ceiling, matched, isLowerBound };
}

function refuseOthers({ matched, isLowerBound }: Counted, expected: number | undefined): void {
  if (expected === undefined || (expected === matched && !isLowerBound)) return;
  const text = isLowerBound
    ? `You expect ${expected}, but ${matched} or more match: too many to count here. Send the request with dry_run, wait until its count is exact, and start with its id as dry_run_id.`
    : `You expect ${expected}, but ${matched} match: nothing was started.`;
  throw new ServiceError('conflict', { text, details: { expected_count: expected, matched } });
}

async function store({ db, producer, now }: Context, counted: Omit<NewBulkAction, 'now'>): Promise<BulkAction> {
  const stored = await insertBulkAction(db, { ...counted, now: now() });
  if (!stored) throw await alreadyRunning(db, counted.accountId);
  const { id, accountId, finishedAt } = stored;
  if (finishedAt === null) await producer.startRun({ kind: 'bulk-action', id, accountId });
  return stored;
}

async function alreadyRunning(db: ServiceContext['db'], accountId: string): Promise<ServiceError> {
  const other = await findUnfinished(db, accountId);
  const which = other ? ` (${other.dryRun ? 'a dry run of ' : ''}${other.action}, id ${other.id})` : '';
  return new ServiceError('conflict', {
    text: `An account can have one bulk action at a time, and another one${which} has not ended. Wait for it, or cancel it: DELETE /api/v1/bulk/{id}.`,
  });
}
