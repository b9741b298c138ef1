import { ATTENTION_REASONS, type AttentionReason } from '@pts/core/attention';
import type { Db } from '../connection.ts';
import { column, columns, rowsByIndexOnce } from '../connection.ts';
import { Prisma } from '../generated/client.ts';
import { fixed } from './page-statements.ts';
import { rangesOf } from './ranges.ts';
import { NEWEST_CHANGE_FIRST } from './shipment.ts';

/** Of a reason, more parcels are not counted. */
export const MAX_COUNTED_OF_REASON = 1000;

const COUNTED = columns({ reason: column<AttentionReason>('c.reason'), count: column<number>('c.count') });

/** How many parcels of an account need attention at `now`, by reason: at most `MAX_COUNTED_OF_REASON` of each. */
export async function countAttention(db: Db, accountId: string, now: Date): Promise<Map<AttentionReason, number>> {
  const limit = fixed(MAX_COUNTED_OF_REASON);
  const counts = ATTENTION_REASONS.map((reason) => {
    const filter = { accountId, attention: { reasons: [reason], now } };
    const { ranges } = rangesOf({ filter, order: NEWEST_CHANGE_FIRST });
    const parts = ranges.map((range) => Prisma.sql`(${range(Prisma.sql`1`, limit)})`);
    return Prisma.sql`
      SELECT ${reason}::text AS reason, count(*)::int AS count
      FROM (SELECT * FROM (${Prisma.join(parts, ' UNION ALL ')}) a LIMIT ${limit}) b`;
  });
  const counted = await rowsByIndexOnce(
    db,
    COUNTED,
    (list) => Prisma.sql`SELECT ${list} FROM (${Prisma.join(counts, ' UNION ALL ')}) c`,
  );
  return new Map(counted.map(({ reason, count }) => [reason, count]));
}
