import { BODY_BYTES } from '../body-limits.ts';
import { LIMITS } from '../limits.ts';
import type { OperationContract, StreamContract } from '../operation.ts';
import type { Operation } from './operation-doc.ts';

/** A contract in the form that the OpenAPI document is made of. */
export function described(contract: OperationContract | StreamContract): Operation {
  const { method, path, limit, scope, bodyBytes = BODY_BYTES.single, input, request, doc } = contract;
  // The media types of its documentation describe the response of a stream.
  const { response, status, cacheable } = 'line' in contract ? { response: {} } : contract;
  return {
    method,
    path,
    scope,
    isKeyed: method === 'post' && !('line' in contract),
    bodyBytes,
    input,
    request,
    response,
    doc,
    ...(status ? { status } : {}),
    ...(cacheable ? { cacheable } : {}),
    limit: { name: limit, perSecond: LIMITS[limit] },
  };
}
