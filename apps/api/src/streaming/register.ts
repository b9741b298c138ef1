import { ServiceError } from '@pts/core/errors';
import type { Registration } from '@pts/db/trackings/register';
import { keyOf, registerWhatFits } from '@pts/service/trackings/register-what-fits';
import { type ItemError, readItem, toItemError } from '../bulk.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/operation.ts';
import type { Item } from './input.ts';
import { createTurns } from './turns.ts';

export type Accepted = { index: number; id: string };
export type Refused = { index: number; error: ItemError };

/**
 * Registers a batch of a stream in one statement. When the quota ends within it, as many as fit are registered, in
 * their order, and the others are refused; numbers that are registered already need no quota.
 */
export async function registerBatch(
  deps: ApiDeps,
  caller: Caller,
  items: readonly Item[],
): Promise<{ accepted: Accepted[]; refused: Refused[] }> {
  const refused: Refused[] = [];
  const wanted: { index: number; registration: Registration; value: unknown }[] = [];
  const turns = createTurns();
  for (const item of items) {
    await turns.next();
    if ('fault' in item) refused.push({ index: item.index, error: toItemError(null, item.fault) });
    else {
      const outcome = readItem(deps, item.value);
      if ('errorCode' in outcome) refused.push({ index: item.index, error: outcome });
      else wanted.push({ index: item.index, registration: outcome, value: item.value });
    }
  }
  const registrations = wanted.map(({ registration }) => registration);
  const register = () => registerWhatFits(deps, caller.account, registrations);
  const registered = await deps.bulkhead.run(caller.account.id, register);
  const accepted: Accepted[] = [];
  for (const { index, registration, value } of wanted) {
    const tracking = registered.get(keyOf(registration));
    if (tracking) accepted.push({ index, id: tracking.id });
    else refused.push({ index, error: toItemError(asObject(value), new ServiceError('quota_exhausted')) });
  }
  return { accepted, refused };
}

function asObject(value: unknown): unknown {
  return typeof value === 'string' ? { tracking_number: value } : value;
}
