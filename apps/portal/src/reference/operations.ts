import { CONTRACTS } from '@pts/contract/contracts';
import { described, type Operation, TAGS, type Tag } from '@pts/contract/operation';
import { type OperationId, ROUTES } from '@pts/contract/routes';

/** An operation with its name in the portal's addresses, and the file of its contract. */
export type Described = Operation & { id: OperationId; file: string };

const ORDER = Object.keys(ROUTES);

/** Every operation of the API, in the order in which a reader meets them. A test compares them with those that it serves. */
export const OPERATIONS: readonly Described[] = CONTRACTS.map(({ contract, file }) => ({
  ...described(contract),
  id: contract.doc.id as OperationId,
  file,
})).sort((a, b) => ORDER.indexOf(a.id) - ORDER.indexOf(b.id));

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
