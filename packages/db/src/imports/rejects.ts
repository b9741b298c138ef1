import type { Db } from '../connection.ts';
import type { RunKey } from '../runs/leases.ts';

/** Rejected rows as lines of CSV, with the number of the first. */
export type RejectedRows = { firstRow: number; csv: Buffer };

/** The next rejected rows of an import after a row; null: there are no more. */
export async function nextRejects(db: Db, { accountId, id }: RunKey, afterRow: number): Promise<RejectedRows | null> {
  const page = await db.importReject.findFirst({
    where: { importId: id, accountId, firstRow: { gt: afterRow } },
    orderBy: { firstRow: 'asc' },
  });
  return page && { firstRow: page.firstRow, csv: Buffer.from(page.csv) };
}
