import type { BulkReason } from '@pts/core/bulk-actions';
import type { BulkAction, BulkPlace } from '@pts/db/bulk-actions/bulk-actions';
import type { ServiceContext } from '../context.ts';

/** What the actions need. */
export type ActionContext = Pick<ServiceContext, 'db' | 'producer' | 'providers' | 'now'>;

/** Which ones: of an account, as of a time. */
export type BulkScope = Pick<BulkAction, 'accountId' | 'filter' | 'ceiling' | 'asOf'>;

/** How many match; `isLowerBound` if there may be more. */
export type Matched = { total: number; isLowerBound: boolean };

/** What a bulk action is done to. */
export type Target = {
  /** As far as a request has time to count. */
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
 * @param isAgain whether it may have been done before, by a run of this bulk action that was interrupted: then it counts as done.
 */
export type Step = (
  ctx: ActionContext,
  input: { accountId: string; id: string; at: Date; isAgain: boolean },
) => Promise<'done' | BulkReason>;
