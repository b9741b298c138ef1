import type { Plan } from '@pts/core/account';
import { monthOf } from '@pts/core/time';
import type { Db, Tx } from '../connection.ts';

export type Account = {
  id: string;
  name: string;
  plan: Plan;
  quotaOverride: number | null;
  disabledAt: Date | null;
  createdAt: Date;
  /** Of a test account: the live account that it belongs to; null: it is a live account. */
  testOf: string | null;
};

export async function insertAccount(
  tx: Tx,
  account: Pick<Account, 'id' | 'name' | 'plan' | 'quotaOverride'> & { testOf?: string },
): Promise<Account> {
  return toAccount(await tx.account.create({ data: account }));
}

export async function findAccount(db: Db, id: string): Promise<Account | null> {
  const row = await db.account.findUnique({ where: { id } });
  return row && toAccount(row);
}

export async function listAccounts(db: Db): Promise<Account[]> {
  return (await db.account.findMany({ orderBy: { createdAt: 'asc' } })).map(toAccount);
}

/** The test account of a live one; null if it has none. */
export async function findTestAccount(tx: Pick<Tx, 'account'>, liveId: string): Promise<Account | null> {
  const row = await tx.account.findUnique({ where: { testOf: liveId } });
  return row && toAccount(row);
}

/** Changes an account; its test account is disabled and enabled with it. @returns null if there is no account with this id. */
export async function updateAccount(
  db: Db,
  id: string,
  change: { plan?: Plan; quotaOverride?: number | null; disabledAt?: Date | null; name?: string },
): Promise<Account | null> {
  const { count } = await db.account.updateMany({ where: { id }, data: change });
  const { disabledAt } = change;
  if (disabledAt !== undefined) await db.account.updateMany({ where: { testOf: id }, data: { disabledAt } });
  return count === 0 ? null : findAccount(db, id);
}

/** Disables an account and its test account; if it is already disabled, its time is kept. @returns null if there is no account with this id. */
export async function disableAccount(db: Db, id: string, now: Date): Promise<Account | null> {
  await db.account.updateMany({ where: { OR: [{ id }, { testOf: id }], disabledAt: null }, data: { disabledAt: now } });
  return findAccount(db, id);
}

/** Units used in the UTC month of `now`. */
export async function quotaUsed(db: Db, accountId: string, now: Date): Promise<number> {
  const row = await db.quotaUsage.findUnique({ where: { accountId_month: { accountId, month: monthOf(now) } } });
  return row?.used ?? 0;
}

function toAccount(row: {
  id: string;
  name: string;
  plan: string;
  quotaOverride: number | null;
  disabledAt: Date | null;
  createdAt: Date;
  testOf: string | null;
}): Account {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan as Plan,
    quotaOverride: row.quotaOverride,
    disabledAt: row.disabledAt,
    createdAt: row.createdAt,
    testOf: row.testOf,
  };
}
