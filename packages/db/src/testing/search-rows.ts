import type { Db } from '../connection.ts';

/** The rows by which parcels are searched, of those that a test has stored without them. */
export async function addSearchRows(db: Pick<Db, '$executeRaw'>): Promise<void> {
  await db.$executeRaw`
    INSERT INTO tracking_search (account_id, tracking_id, carrier, text, order_id, metadata)
    SELECT account_id, id, carrier, search_text(tracking_number, order_id, title), order_id, metadata FROM trackings ON CONFLICT DO NOTHING`;
}
