import { CONTRACTS } from '@pts/contract/contracts';
import { type OpenApiDocument, openApiDocument } from '@pts/contract/openapi/document';
import { described, type Operation, TAGS, type Tag, templateOf } from '@pts/contract/operation';
import { type OperationId, ROUTES } from '@pts/contract/routes';
import manifest from '../../package.json' with { type: 'json' };
import type { Schema } from './fields.ts';

/** An operation with its name in the portal's addresses, and the file of its contract. */
export type Described = Operation & { id: OperationId; file: string };

const ORDER = Object.keys(ROUTES);

/**
 * Every operation of the API, in the order in which a reader meets them. A test compares them with those that it
 * serves.
 */
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

/** The version that the portal describes. */
export const VERSION = manifest.version;

export type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
};
type Content = Readonly<Record<string, { schema?: Schema; example?: unknown }>>;
export type ErrorExample = { summary: string; value: { code: number } & Record<string, unknown> };
type Response = {
  content?: Readonly<
    Record<string, { schema?: Schema; example?: unknown; examples?: Readonly<Record<string, ErrorExample>> }>
  >;
};

/** An operation as the OpenAPI document describes it, with each reference replaced by what it refers to. */
export type Reference = {
  description: string;
  parameters?: readonly Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Readonly<Record<string, Response>>;
};

const DOCUMENT = openApiDocument(OPERATIONS, { version: VERSION });

export function referenceOf({ path, method }: Described): Reference {
  return inlined(DOCUMENT.paths[templateOf(path)]?.[method], DOCUMENT) as Reference;
}

/** A part of the document without references. What stands next to a reference replaces what it refers to. */
function inlined(node: unknown, document: OpenApiDocument): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map((one) => inlined(one, document));
  const { $ref, ...own } = node as { $ref?: string };
  const [, , kind = '', name = ''] = $ref?.split('/') ?? [];
  const target = $ref ? (document.components[kind] as Record<string, object>)[name] : {};
  const merged = { ...target, ...own };
  return Object.fromEntries(Object.entries(merged).map(([key, value]) => [key, inlined(value, document)]));
}
