import type { Db } from '../connection.ts';
import { Prisma } from '../generated/client.ts';
import type { AttemptOutcome } from './attempts.ts';

/** A push without a delivery: sent once and recorded in the log. */
export type Ping = Omit<AttemptOutcome, 'deliveryId' | 'event' | 'round' | 'state' | 'nextAttemptAt'>;

/** Records pings for the delivery log. */
export async function recordPings(db: Db, pings: readonly Ping[]): Promise<void> {
  const data = pings.map(({ trace, ...ping }) => ({ ...ping, event: 'ping', trace: trace ?? Prisma.DbNull }));
  await db.deliveryAttempt.createMany({ data });
}
