import type { Db, Tx } from './connection.ts';
import { type AuditEntry as AuditRow, Prisma } from './generated/client.ts';

/** A change, or an action of somebody with the rights of an administrator. */
export type AuditEntry = {
  /** Who: `command alice`, `key 69a4…`, `member 69a4…`. */
  actor: string;
  /** A command of the operators, or an operation of the API: `POST /keys`. */
  action: string;
  accountId: string | null;
  /** The input of the action; never a secret, and nothing about a person. */
  details: Record<string, string | number | boolean | null>;
  /** The names of who did it, and of its object, at that time. They go with the account. */
  names?: AuditNames;
};
export type AuditNames = { actor?: string | null; object?: string | null };
/** An entry as it was kept. */
export type KeptEntry = AuditEntry & { id: bigint; at: Date; names: AuditNames };

const PAGE = 1000;

/** Appends an entry. */
export async function appendAudit(db: Pick<Tx, 'auditEntry'>, { actor, names, ...entry }: AuditEntry): Promise<void> {
  await db.auditEntry.create({ data: { actor: actor.slice(0, 120), ...(names && { names }), ...entry } });
}

/** The entries since a moment, the oldest first, in pages; of one account, if given. */
export async function* readAudit(
  db: Db,
  { since, accountId }: { since: Date; accountId?: string | undefined },
): AsyncGenerator<KeptEntry> {
  for (let after = 0n, isLast = false; !isLast; ) {
    const where = { id: { gt: after }, at: { gte: since }, ...(accountId !== undefined && { accountId }) };
    const page = await db.auditEntry.findMany({ where, orderBy: { id: 'asc' }, take: PAGE });
    for (const row of page) {
      after = row.id;
      yield toEntry(row);
    }
    isLast = page.length < PAGE;
  }
}

/** The newest entries of an account, or the newest before one of them. */
export async function pageOfAudit(
  db: Db,
  { accountId, before, limit }: { accountId: string; before?: bigint | undefined; limit: number },
): Promise<KeptEntry[]> {
  const where = { accountId, ...(before !== undefined && { id: { lt: before } }) };
  return (await db.auditEntry.findMany({ where, orderBy: { id: 'desc' }, take: limit })).map(toEntry);
}

/** Removes the names from the entries of an account. */
export async function forgetAuditNames(db: Db, accountId: string): Promise<void> {
  await db.auditEntry.updateMany({
    where: { accountId, names: { not: Prisma.DbNull } },
    data: { names: Prisma.DbNull },
  });
}

function toEntry({ details, names, ...row }: AuditRow): KeptEntry {
  return { ...row, details: details as AuditEntry['details'], names: (names ?? {}) as AuditNames };
}
