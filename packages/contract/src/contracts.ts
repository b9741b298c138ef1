import type { OperationContract, StreamContract } from './operation.ts';
import * as account from './operations/account.ts';
import * as attention from './operations/attention.ts';
import * as bulk from './operations/bulk.ts';
import * as bulkActions from './operations/bulk-actions.ts';
import * as couriers from './operations/couriers.ts';
import * as events from './operations/events.ts';
import * as explain from './operations/explain.ts';
import * as imports from './operations/imports.ts';
import * as keys from './operations/keys.ts';
import * as pages from './operations/pages.ts';
import * as retrack from './operations/retrack.ts';
import * as shipments from './operations/shipments.ts';
import * as stats from './operations/stats.ts';
import * as stream from './operations/stream.ts';
import * as trackings from './operations/trackings.ts';
import * as deliveries from './operations/webhooks/deliveries.ts';
import * as replays from './operations/webhooks/replays.ts';
import * as webhookTests from './operations/webhooks/webhook-tests.ts';
import * as webhooks from './operations/webhooks/webhooks.ts';

/** By their files in `operations`, in the order of the reference. */
const MODULES: Readonly<Record<string, object>> = {
  ...{ trackings, retrack, explain, bulk, 'bulk-actions': bulkActions, stream, imports, shipments, attention, events },
  ...{ couriers, 'webhooks/webhooks': webhooks, 'webhooks/webhook-tests': webhookTests },
  ...{ 'webhooks/deliveries': deliveries, 'webhooks/replays': replays, pages, account, stats, keys },
};

export type Contract = OperationContract | StreamContract;

/** The contract of every operation, and the file that declares it. */
export const CONTRACTS: readonly { contract: Contract; file: string }[] = Object.entries(MODULES).flatMap(
  ([name, module]) =>
    Object.values(module)
      .filter(isContract)
      .map((contract) => ({ contract, file: `packages/contract/src/operations/${name}.ts` })),
);

function isContract(value: unknown): value is Contract {
  return typeof value === 'object' && value !== null && 'doc' in value && 'path' in value;
}
