import { createHash } from 'node:crypto';
import { canonicalJson } from '@pts/core/canonical-json';
import { refusedField } from '@pts/core/errors';
import { message } from '@pts/core/languages/message';
import { runOnce } from '@pts/service/run-once';
import type { Request, Response } from 'express';
import type { ApiDeps } from '../deps.ts';

const HEADER = 'Idempotency-Key';
/** 1 to 255 visible ASCII characters. */
const FORM = /^[\x21-\x7e]{1,255}$/;

/**
 * The key of a request that is to be carried out once; null for none, and where it makes no difference: only POST
 * changes something with each repetition.
 * @throws ServiceError `invalid_field` for a malformed one.
 */
export function idempotencyKeyOf(request: Request): string | null {
  const key = request.method === 'POST' ? request.get(HEADER) : undefined;
  if (key === undefined) return null;
  if (FORM.test(key)) return key;
  throw refusedField(HEADER, message('field.idempotency_key'));
}

/** A stream's answer cannot be kept. @throws ServiceError `invalid_field` if the request has a key. */
export function refuseIdempotencyKey(request: Request): void {
  if (idempotencyKeyOf(request) === null) return;
  throw refusedField(HEADER, message('field.no_idempotency'));
}

type Call = {
  request: Request;
  response: Response;
  /** The account, or the operator's key, that the request's key is one of. */
  ownerId: string;
  /** The content that makes two requests the same, besides method and address. */
  content: unknown;
  /** The HTTP status of success. */
  status: number;
};

/** Runs `work` once under the key of a request; a repeated request gets the status and body of the first. */
export async function answerOnce(
  deps: Pick<ApiDeps, 'db' | 'secretCipher' | 'now'>,
  key: string,
  { request, response, ownerId, content, status: success }: Call,
  work: () => Promise<string>,
): Promise<string> {
  const { method, baseUrl, path, query } = request;
  const hash = createHash('sha256').update(canonicalJson({ method, path: `${baseUrl}${path}`, query, content }));
  const keyed = { accountId: ownerId, key, requestHash: Uint8Array.from(hash.digest()) };
  const { status, body, isReplay } = await runOnce(deps, keyed, async () => ({ status: success, body: await work() }));
  if (isReplay) response.status(status).setHeader('Idempotency-Replayed', 'true');
  return body;
}
