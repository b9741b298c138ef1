import type { Hints } from '@pts/core/tracking/schedule';
import type { Db } from '../connection/client.ts';

/** An endpoint that does not accept deliveries. */
export type FailingEndpoint = { id: string; accountId: string; failingSince: Date };

/** The enabled endpoints that have failed for longest, and how many fail in all. */
export async function failingEndpoints(
  db: Db,
  { before, limit }: { before: Date; limit: number },
): Promise<{ count: number; oldest: FailingEndpoint[] }> {
  const where = { enabled: true, failingSince: { lt: before } };
  const select = { id: true, accountId: true, failingSince: true };
  const [count, oldest] = [
    await db.webhook.count({ where }),
    await db.webhook.findMany({ where, select, orderBy: { failingSince: 'asc' }, take: limit }),
  ];
  return { count, oldest: oldest as FailingEndpoint[] };
}

/** The providers whose checks are paused, and how their calls fail. */
export async function pausedProviders(
  db: Db,
  now: Date,
): Promise<{ provider: string; failure: string | null; reason: string; pausedUntil: Date | null }[]> {
  return db.providerPause.findMany({
    where: { pausedUntil: { gt: now } },
    select: { provider: true, failure: true, reason: true, pausedUntil: true },
    orderBy: { provider: 'asc' },
  });
}

/** A parcel that a provider is asked about, to ask about it once more; null if it has none. */
export async function parcelOf(
  db: Db,
  provider: string,
): Promise<{ number: string; carrier: string; hints: Hints | null } | null> {
  const check = await db.check.findFirst({
    where: { provider },
    orderBy: { nextCheckAt: 'desc' },
    select: { trackingNumber: true, carrier: true, hints: true },
  });
  return check && { number: check.trackingNumber, carrier: check.carrier, hints: check.hints as Hints | null };
}
