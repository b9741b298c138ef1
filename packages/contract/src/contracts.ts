import * as account from './account.ts';
import * as batch from './batch.ts';
import * as bulkActions from './bulk-actions.ts';
import * as couriers from './couriers.ts';
import * as deliveries from './deliveries.ts';
import * as events from './events.ts';
import * as explain from './explain.ts';
import * as imports from './imports.ts';
import * as members from './members.ts';
import * as notices from './notices.ts';
import type { OperationContract, StreamContract } from './operation.ts';
import * as operator from './operator.ts';
import * as pages from './pages.ts';
import * as shipments from './shipments.ts';
import * as stats from './stats.ts';
import * as trackings from './trackings.ts';
import * as webhooks from './webhooks.ts';

/** By their files, in the order of the reference. */
const RESOURCES: Readonly<Record<string, object>> = {
  ...{ trackings, explain, batch, 'bulk-actions': bulkActions, imports, shipments, events, couriers, webhooks },
  ...{ deliveries, pages, account, members, notices, stats, operator },
};

type Contract = OperationContract | StreamContract;

/** The contract of every operation, and the file that declares it. */
export const CONTRACTS: readonly { contract: Contract; file: string }[] = Object.entries(RESOURCES).flatMap(
  ([name, resource]) =>
    Object.values(resource)
      .filter(isContract)
      .map((contract) => ({ contract, file: `packages/contract/src/${name}.ts` })),
);

function isContract(value: unknown): value is Contract {
  return typeof value === 'object' && value !== null && 'doc' in value && 'path' in value;
}
