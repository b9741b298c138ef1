import { appendAudit } from '@pts/db/audit/audit';
import type { Request } from 'express';
import type { ApiDeps } from '../deps.ts';
import type { Caller, Route } from './operation.ts';

/** Keeps a change for which a key needs the scope admin, before it is made. Bodies may hold anything, so they are not kept. */
export async function audit(
  { db }: Pick<ApiDeps, 'db'>,
  { scope, method, path }: Route,
  { account, key }: Caller,
  request: Request,
): Promise<void> {
  if (scope !== 'admin' || method === 'get') return;
  const action = `${method.toUpperCase()} ${path}`;
  const details = { ...(request.params as Record<string, string>), ip: request.ip ?? null };
  await appendAudit(db, { actor: `key ${key.id}`, action, accountId: account.id, details });
}
