import { type Column, column, columns, type Db, rows } from '../connection.ts';
import { Prisma } from '../generated/client.ts';

/**
 * The generation of the link to the page of a tracking named `t`, of which its token is made; null if its account has no pages or the
 * link was revoked. The offset makes PostgreSQL look the settings up for each row: expecting many rows, it would read those of all
 * accounts.
 */
export const PAGE_GENERATION: Column<number | null> = column(
  `CASE WHEN t.page_revoked_at IS NULL
    AND EXISTS (SELECT 1 FROM public.page_settings g WHERE g.account_id = t.account_id AND g.enabled OFFSET 0)
    THEN COALESCE(t.page_generation, 0) END`,
);

const LINK = columns({ generation: column<number>('t.page_generation') });

/**
 * Gives a tracking a new link; former ones never lead anywhere again.
 * @returns its generation; null if the account has no such tracking, or no pages.
 */
export async function renewLink(db: Db, accountId: string, id: string): Promise<number | null> {
  const [row] = await rows(
    db,
    LINK,
    (list) => Prisma.sql`
      UPDATE public.trackings t SET page_generation = COALESCE(t.page_generation, 0) + 1, page_revoked_at = NULL
      WHERE t.id = ${id} AND t.account_id = ${accountId}
        AND EXISTS (SELECT 1 FROM public.page_settings g WHERE g.account_id = t.account_id AND g.enabled)
      RETURNING ${list}`,
  );
  return row?.generation ?? null;
}

/** Revokes the link of a tracking. @returns whether the account has such a tracking. */
export async function revokeLink(db: Db, accountId: string, id: string, now: Date): Promise<boolean> {
  const { count } = await db.tracking.updateMany({ where: { id, accountId }, data: { pageRevokedAt: now } });
  return count > 0;
}
