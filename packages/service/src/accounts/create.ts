import type { Plan } from '@pts/core/account';
import { type Account, insertAccount } from '@pts/db/accounts/accounts';
import { freshId } from '@pts/db/ids';
import type { ServiceContext } from '../context.ts';
import { issueKey, type NewKey } from './key.ts';

/** Creates an account with its first key. The key is returned only here. */
export async function createAccount(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  { name, plan, quotaOverride = null }: { name: string; plan: Plan; quotaOverride?: number | null },
): Promise<{ account: Account; key: NewKey }> {
  const at = now();
  return db.$transaction(async (tx) => {
    const account = await insertAccount(tx, { id: freshId(at), name, plan, quotaOverride });
    return { account, key: await issueKey(tx, account.id, at) };
  });
}
