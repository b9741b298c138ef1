import type { Undecided } from '@pts/core/tracking/undecided';
import { CLAIMED_AT, SLOT_JOIN } from '../checks/schedule.ts';
import { column, columns, rows, type Tx } from '../connection.ts';
import { Prisma, type Tracking } from '../generated/client.ts';

/** The columns of a tracking that `askedOf` reads. */
export const ASKED = {
  id: true,
  accountId: true,
  provider: true,
  askedBefore: true,
  answeredAt: true,
  candidates: true,
} as const;

const CHECKED = columns({ claimedAt: column<Date | null>(CLAIMED_AT) });

/** When each provider was last queried for the number: neither moving a tracking back and forth nor stopping it undercuts a floor. */
export async function askedOf(
  tx: Tx,
  { id, accountId, provider, askedBefore, answeredAt, candidates }: Pick<Tracking, keyof typeof ASKED>,
): Promise<Record<string, string>> {
  const [check] = await rows(
    tx,
    CHECKED,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.checks c ${SLOT_JOIN} WHERE c.tracking_id = ${id} AND c.account_id = ${accountId}`,
  );
  const asked = (candidates as Undecided | null)?.asked;
  const before = { ...((askedBefore ?? {}) as Record<string, string>), ...asked };
  // A callback is stored like an answer, but is not a query.
  const last = check?.claimedAt ?? answeredAt;
  const times = [last?.getTime(), Date.parse(before[provider] ?? '')].flatMap((ms) => (ms ? [ms] : []));
  return times.length === 0 ? before : { ...before, [provider]: new Date(Math.max(...times)).toISOString() };
}

/** Now, but not before the floor of a provider that was queried earlier. */
export function nextCheckAt(requestedAt: string | undefined, floorSeconds: number, now: Date): Date {
  const requestedMs = requestedAt === undefined ? 0 : Date.parse(requestedAt);
  return new Date(Math.max(now.getTime(), requestedMs + floorSeconds * 1000));
}
