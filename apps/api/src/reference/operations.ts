import { BODY_BYTES } from '@pts/contract/body-limits';
import { LIMITS } from '@pts/contract/limits';
import { type OpenApiDocument, openApiDocument } from '@pts/contract/openapi/document';
import type { Operation } from '@pts/contract/openapi/operation';
import manifest from '../../package.json' with { type: 'json' };
import { operations as table } from '../endpoints/index.ts';

/** The version of the API in its document. */
const VERSION = manifest.version;

/** The operations as the OpenAPI document. */
const operations: readonly Operation[] = table.map((entry) => {
  const { method, path, limit, scope, bodyBytes = BODY_BYTES.single, input, request, doc } = entry;
  // The media types of its documentation describe the response of a stream.
  const { response, status, cacheable } = 'line' in entry ? { response: {} } : entry;
  const described = {
    method,
    path,
    scope,
    isKeyed: method === 'post' && !('line' in entry),
    bodyBytes,
    input,
    request,
    response,
    doc,
    ...(status ? { status } : {}),
    ...(cacheable ? { cacheable } : {}),
  };
  return { ...described, limit: { name: limit, perSecond: LIMITS[limit] } };
});

/** The document of this API. */
export function apiDocument(baseUrl?: string): OpenApiDocument {
  return openApiDocument(operations, { version: VERSION, baseUrl });
}
