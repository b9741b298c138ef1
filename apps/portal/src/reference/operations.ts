import { described } from '@pts/contract/openapi/described';
import { type Operation, TAGS, type Tag } from '@pts/contract/openapi/operation-doc';
import type { OperationContract, StreamContract } from '@pts/contract/operation';
import * as account from '@pts/contract/operations/account';
import * as attention from '@pts/contract/operations/attention';
import * as bulk from '@pts/contract/operations/bulk';
import * as bulkActions from '@pts/contract/operations/bulk-actions';
import * as couriers from '@pts/contract/operations/couriers';
import * as events from '@pts/contract/operations/events';
import * as explain from '@pts/contract/operations/explain';
import * as imports from '@pts/contract/operations/imports';
import * as keys from '@pts/contract/operations/keys';
import * as pages from '@pts/contract/operations/pages';
import * as retrack from '@pts/contract/operations/retrack';
import * as shipments from '@pts/contract/operations/shipments';
import * as stats from '@pts/contract/operations/stats';
import * as stream from '@pts/contract/operations/stream';
import * as trackings from '@pts/contract/operations/trackings';
import * as deliveries from '@pts/contract/operations/webhooks/deliveries';
import * as replays from '@pts/contract/operations/webhooks/replays';
import * as webhookTests from '@pts/contract/operations/webhooks/webhook-tests';
import * as webhooks from '@pts/contract/operations/webhooks/webhooks';
import { type OperationId, ROUTES } from '@pts/contract/routes';

/** By their files. */
const MODULES: Readonly<Record<string, object>> = {
  ...{ trackings, retrack, explain, bulk, 'bulk-actions': bulkActions, stream, imports, shipments, attention, events },
  ...{ couriers, 'webhooks/webhooks': webhooks, 'webhooks/webhook-tests': webhookTests },
  ...{ 'webhooks/deliveries': deliveries, 'webhooks/replays': replays, pages, account, stats, keys },
};

/** An operation with its name in the portal's addresses, and the file of its contract. */
export type Described = Operation & { id: OperationId; file: string };

const ORDER = Object.keys(ROUTES);

/** Every operation of the API, in the order in which a reader meets them. A test compares them with those that it serves. */
export const OPERATIONS: readonly Described[] = Object.entries(MODULES)
  .flatMap(([name, module]) =>
    Object.values(module)
      .filter(isContract)
      .map((contract) => ({
        ...described(contract),
        id: contract.doc.id as OperationId,
        file: `packages/contract/src/operations/${name}.ts`,
      })),
  )
  .sort((a, b) => ORDER.indexOf(a.id) - ORDER.indexOf(b.id));

function isContract(value: unknown): value is OperationContract | StreamContract {
  return typeof value === 'object' && value !== null && 'doc' in value && 'path' in value;
}

/** The groups of the reference, without those that have no operations. */
export function groups(): { tag: Tag; operations: Described[] }[] {
  return (Object.keys(TAGS) as Tag[])
    .map((tag) => ({ tag, operations: OPERATIONS.filter(({ doc }) => doc.tag === tag) }))
    .filter(({ operations }) => operations.length > 0);
}

/** The operation that a method and a path in a text name: `POST /trackings/create`, with or without /api/v1. */
export function operationNamed(text: string): Described | undefined {
  const [, method, path] = /^(GET|POST|PUT|PATCH|DELETE) (?:\/api\/v1)?(\/[\w/.{}-]+)(?:\?.*)?$/.exec(text) ?? [];
  const named = path?.replace(/\{\w+\}/g, ':');
  return OPERATIONS.find(
    (operation) => operation.method === method?.toLowerCase() && operation.path.replace(/:\w+/g, ':') === named,
  );
}
