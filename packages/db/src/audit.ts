import type { Db, Tx } from './connection.ts';

/** An action of somebody with the rights of an administrator. */
export type AuditEntry = {
  /** Who: `command alice`, `key 69a4…`. */
  actor: string;
  /** A command of the operators, or an operation of the API. */
  action: string;
  accountId: string | null;
  /** The input of the action; never a secret. */
  details: Record<string, string | number | boolean | null>;
};

const PAGE = 1000;

/** Appends an entry. */
export async function appendAudit(db: Pick<Tx, 'auditEntry'>, { actor, ...entry }: AuditEntry): Promise<void> {
  await db.auditEntry.create({ data: { actor: actor.slice(0, 120), ...entry } });
}

/** The entries since a moment, the oldest first, in pages; of one account, if given. */
export async function* readAudit(
  db: Db,
  { since, accountId }: { since: Date; accountId?: string | undefined },
): AsyncGenerator<AuditEntry & { at: Date }> {
  const select = { id: true, at: true, actor: true, action: true, accountId: true, details: true };
  for (let after = 0n, isLast = false; !isLast; ) {
    const where = { id: { gt: after }, at: { gte: since }, ...(accountId !== undefined && { accountId }) };
    const page = await db.auditEntry.findMany({ where, select, orderBy: { id: 'asc' }, take: PAGE });
    for (const { id, details, ...entry } of page) {
      after = id;
      yield { ...entry, details: details as AuditEntry['details'] };
    }
    isLast = page.length < PAGE;
  }
}
