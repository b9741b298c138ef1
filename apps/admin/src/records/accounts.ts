import { isPlan, PLANS, type Plan } from '@pts/core/account';
import { type Account, findAccount, updateAccount } from '@pts/db/accounts/accounts';
import type { Db } from '@pts/db/connection/client';
import { Problem, UsageError } from '../command-line/problem.ts';

/** The maximum quota: Postgres' integer. */
const MAX_UNITS = 2_147_483_647;

/** @throws Problem if there is no such account */
export async function getAccount(db: Db, id: string): Promise<Account> {
  return known(await findAccount(db, id), id);
}

/** @throws Problem if there is no such account */
export async function changeAccount(db: Db, id: string, change: Parameters<typeof updateAccount>[2]): Promise<Account> {
  return known(await updateAccount(db, id, change), id);
}

/** @throws Problem if there is no such account */
export function known(account: Account | null, id: string): Account {
  if (!account) throw new Problem(`No such account: ${id}. \`accounts list\` lists all accounts.`);
  return account;
}

/** @throws UsageError */
export function readPlan(text: string): Plan {
  if (!isPlan(text)) throw new UsageError(`No such plan: "${text}". Choose one of ${PLANS.join(', ')}.`);
  return text;
}

/** Parses units per month, or another number that `what` names. @throws UsageError */
export function readUnits(text: string, what = 'The quota'): number {
  const units = Number(text);
  if (!/^\d+$/.test(text) || units > MAX_UNITS)
    throw new UsageError(`${what} must be a whole number from 0 to ${MAX_UNITS}, not "${text}".`);
  return units;
}
