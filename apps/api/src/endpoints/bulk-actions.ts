import * as contract from '@pts/contract/bulk-actions';
import type { Infer } from '@pts/contract/schema';
import { BULK_ACTION_DAYS, BULK_REASONS, type BulkActionName } from '@pts/core/bulk-actions';
import { flatEntries } from '@pts/core/entries';
import { type Fault, invalidField } from '@pts/core/errors';
import { message, readMessage } from '@pts/core/languages/message';
import { rangeFaults, toUtcSeconds } from '@pts/core/time';
import { type BulkAction, listBulkActions as list } from '@pts/db/bulk-actions';
import {
  cancelBulkAction as cancel,
  countForBulkAction,
  findBulkAction,
  startBulkAction,
} from '@pts/service/bulk-actions';
import { filterFaults } from '@pts/service/shipments';
import type { ApiDeps } from '../deps.ts';
import { requireScope } from '../http/authenticate.ts';
import { type Caller, type Localized, operation } from '../http/operation.ts';
import { isObject } from '../http/validate.ts';

type Input = {
  filter?: Readonly<Record<string, string | Readonly<Record<string, string>> | undefined>>;
  dry_run?: boolean;
  expected_count?: number;
  dry_run_id?: string;
};

/** POST /bulk/retrack */
export const bulkRetrack = operation(contract.bulkRetrack, { faults: shipmentFaults, run: starter('retrack') });

/** POST /bulk/stop */
export const bulkStop = operation(contract.bulkStop, { faults: shipmentFaults, run: starter('stop') });

/** POST /bulk/delete */
export const bulkDelete = operation(contract.bulkDelete, { faults: deletionFaults, run: starter('delete') });

/** POST /bulk/redeliver */
export const bulkRedeliver = operation(contract.bulkRedeliver, { faults: redeliveryFaults, run: starter('redeliver') });

function starter(action: BulkActionName) {
  return async (deps: ApiDeps, { account }: Caller, input: Input) => {
    const { dry_run: isDryRun, expected_count: expectedCount, dry_run_id: dryRunId } = input;
    const request = { accountId: account.id, action, filter: givenFilters(input.filter) };
    const found = isDryRun
      ? await countForBulkAction(deps, request)
      : await startBulkAction(deps, { ...request, expectedCount, dryRunId });
    return viewBulkAction(found);
  };
}

/** GET /bulk/{id} */
export const getBulkAction = operation(contract.getBulkAction, {
  run: async (deps, { account }, { id }) => viewBulkAction(await findBulkAction(deps, { accountId: account.id, id })),
});

/** DELETE /bulk/{id} */
export const cancelBulkAction = operation(contract.cancelBulkAction, {
  async run(deps, caller, { id }) {
    const key = { accountId: caller.account.id, id };
    const { action } = await findBulkAction(deps, key);
    requireScope(caller, action === 'redeliver' ? 'webhooks' : 'write');
    return viewBulkAction(await cancel(deps, key));
  },
});

/** GET /bulk */
export const listBulkActions = operation(contract.listBulkActions, {
  async run(deps, { account }) {
    const found = await list(deps.db, account.id);
    return { count: found.length, bulk_actions: found.map(viewBulkAction) };
  },
});

type Given = Record<string, unknown>;

/** The filters that are given; an empty one is none, unless it is an entry of the metadata. */
function givenFilters(filter: Input['filter'] = {}): Record<string, string> {
  return flatEntries(Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== '')));
}

/** The faults in a request for a bulk action on shipments. */
function shipmentFaults(deps: Pick<ApiDeps, 'sandbox'>, input: Given): Fault[] {
  return inFilter(filterFaults(deps, filterOf(input)));
}

/** The faults in a request for a bulk deletion: all shipments are deleted only if the request says so. */
function deletionFaults(deps: Pick<ApiDeps, 'sandbox'>, input: Given): Fault[] {
  const isEmpty = (value: unknown) => value === '' || (isObject(value) && Object.keys(value).length === 0);
  const isForAll = Object.values(filterOf(input)).every(isEmpty);
  return [
    ...inFilter(filterFaults(deps, filterOf(input))),
    ...(isForAll && input.all !== true ? [invalidField('all', message('field.delete_all'))] : []),
  ];
}

/** The faults in a request for a bulk redelivery. */
function redeliveryFaults(_deps: unknown, input: Given): Fault[] {
  return inFilter(rangeFaults(filterOf(input), 'since', 'until'));
}

function inFilter(faults: readonly Fault[]): Fault[] {
  return faults.map((fault) => ({ ...fault, field: `filter.${fault.field}` }));
}

function filterOf({ filter }: Given): Given {
  return isObject(filter) ? filter : {};
}

const DAY_MS = 86_400_000;

function viewBulkAction(found: BulkAction): Localized<Infer<typeof contract.bulkAction>> {
  const { action, finishedAt } = found;
  return {
    id: found.id,
    action,
    state: found.state,
    filter: found.filter,
    dry_run: found.dryRun,
    as_of: toUtcSeconds(found.asOf),
    matched: found.matched,
    matched_is_lower_bound: found.isLowerBound,
    done: found.done,
    skipped: found.skipped,
    failed: found.failed,
    progress: progressOf(found),
    reasons: found.reasons.map(({ reason, count, sample }) => ({
      reason,
      outcome: BULK_REASONS[reason],
      message: message(`bulk.${reason}`),
      count,
      sample_ids: sample,
    })),
    error: readMessage(found.error),
    created_at: toUtcSeconds(found.createdAt),
    started_at: found.startedAt && toUtcSeconds(found.startedAt),
    finished_at: finishedAt && toUtcSeconds(finishedAt),
    expires_at: finishedAt && toUtcSeconds(new Date(finishedAt.getTime() + BULK_ACTION_DAYS * DAY_MS)),
  };
}

function progressOf({ state, matched, isLowerBound, done, skipped, failed }: BulkAction): number | null {
  if (state === 'done') return 100;
  if (isLowerBound) return null;
  return Math.min(100, Math.floor((100 * (done + skipped + failed)) / Math.max(1, matched)));
}
