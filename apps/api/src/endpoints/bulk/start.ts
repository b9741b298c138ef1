import {
  bulkDelete as deleteContract,
  bulkRedeliver as redeliverContract,
  bulkRetrack as retrackContract,
  bulkStop as stopContract,
} from '@pts/contract/operations/bulk-actions';
import type { BulkActionName } from '@pts/core/bulk-actions';
import { countForBulkAction, startBulkAction } from '@pts/service/bulk-actions';
import type { ApiDeps } from '../../deps.ts';
import { type Caller, operation } from '../../http/operation.ts';
import { deletionFaults, givenFilters, redeliveryFaults, shipmentFaults } from './faults.ts';
import { viewBulkAction } from './view.ts';

type Input = {
  filter?: Readonly<Record<string, string | undefined>>;
  dry_run?: boolean;
  expected_count?: number;
  dry_run_id?: string;
};

/** POST /bulk/retrack */
export const bulkRetrack = operation(retrackContract, { faults: shipmentFaults, run: starter('retrack') });

/** POST /bulk/stop */
export const bulkStop = operation(stopContract, { faults: shipmentFaults, run: starter('stop') });

/** POST /bulk/delete */
export const bulkDelete = operation(deleteContract, { faults: deletionFaults, run: starter('delete') });

/** POST /bulk/redeliver */
export const bulkRedeliver = operation(redeliverContract, { faults: redeliveryFaults, run: starter('redeliver') });

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
