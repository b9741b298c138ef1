import { Prisma } from '../generated/client.ts';

/**
 * How a check is scheduled whose parcel looks as if it had been polled for a while: its times in `checks`, spread over the
 * interval that begins at `dueFrom`.
 * @param share a random number from 0 to 1, of each row.
 */
export function spreadSchedule(
  share: Prisma.Sql,
  { dueFrom, intervalSeconds }: { dueFrom: Date; intervalSeconds: number },
) {
  const due = Prisma.sql`${dueFrom.toISOString()}::timestamptz + make_interval(secs => ${share} * ${intervalSeconds}::float8)`;
  return {
    columns: Prisma.raw('next_check_at, claimed_at'),
    values: Prisma.sql`${due}, ${due} - make_interval(secs => ${intervalSeconds}::float8)`,
  };
}
