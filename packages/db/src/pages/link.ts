import type { Db } from '../connection/client.ts';
import { type Column, column, columns, rows } from '../connection/rows.ts';
import { Prisma } from '../generated/client.ts';

/**
 * The generation of the link to the page of a tracking named `t`, of which its token is made; null if its account has no pages or the
 * link was revoked.
 */
export const PAGE_GENERATION: Column<number | null> = column(
  `CASE WHEN t.page_revoked_at IS NULL
    AND EXISTS (SELECT 1 FROM public.page_settings g WHERE g.account_id = t.account_id AND g.enabled)
    THEN COALESCE(t.page_generation, 0) END`,
);

const LINK = columns({ generation: PAGE_GENERATION });

/** The link of a tracking after a change; `generation` is null if its account has no pages. */
export type Link = { generation: number | null };

/** Gives a tracking a new link; former ones never lead anywhere again. @returns null if the account has no such tracking. */
export async function renewLink(db: Db, accountId: string, id: string): Promise<Link | null> {
  return changeLink(
    db,
    accountId,
    id,
    Prisma.sql`page_generation = COALESCE(t.page_generation, 0) + 1, page_revoked_at = NULL`,
  );
}

/** Revokes the link of a tracking. @returns null if the account has no such tracking. */
export async function revokeLink(db: Db, accountId: string, id: string, now: Date): Promise<Link | null> {
  const at = now.toISOString();
  return changeLink(db, accountId, id, Prisma.sql`page_revoked_at = COALESCE(t.page_revoked_at, ${at}::timestamptz)`);
}

async function changeLink(db: Db, accountId: string, id: string, change: Prisma.Sql): Promise<Link | null> {
  const [row] = await rows(
    db,
    LINK,
    (list) => Prisma.sql`
      UPDATE public.trackings t SET ${change} WHERE t.id = ${id} AND t.account_id = ${accountId} RETURNING ${list}`,
  );
  return row ?? null;
}
