import { type OpenApiDocument, openApiDocument } from '@pts/contract/openapi/document';
import { templateOf } from '@pts/contract/operation';
import manifest from '../../package.json' with { type: 'json' };
import { type Described, OPERATIONS } from './operations.ts';
import type { Schema } from './schema.ts';

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
