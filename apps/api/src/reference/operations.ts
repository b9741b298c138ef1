import { type OpenApiDocument, openApiDocument } from '@pts/contract/openapi/document';
import { described } from '@pts/contract/operation';
import manifest from '../../package.json' with { type: 'json' };
import { operations } from '../endpoints/index.ts';

/** The version of the API in its document. */
const VERSION = manifest.version;

/** The document of this API. */
export function apiDocument(baseUrl?: string): OpenApiDocument {
  return openApiDocument(operations.map(described), { version: VERSION, baseUrl });
}
