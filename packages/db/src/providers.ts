import type { Db } from './client.ts';

/** A provider in trouble. */
export type ProviderPause = { provider: string; failures: number; pausedUntil: Date | null; reason: string };

export async function listPauses(db: Db): Promise<ProviderPause[]> {
  return db.providerPause.findMany({ select: { provider: true, failures: true, pausedUntil: true, reason: true } });
}

/** Counts one more failed call in a row. @returns how many there are now, over all processes. */
export async function countFailure(db: Db, provider: string, reason: string, now: Date): Promise<number> {
  const row = await db.providerPause.upsert({
    where: { provider },
    create: { provider, failures: 1, reason, updatedAt: now },
    update: { failures: { increment: 1 }, reason, updatedAt: now },
    select: { failures: true },
  });
  return row.failures;
}

/** Pauses all checks of a provider; a pause that is longer already stays. */
export async function pauseProvider(db: Db, provider: string, until: Date, now: Date): Promise<void> {
  await db.providerPause.updateMany({
    where: { provider, OR: [{ pausedUntil: null }, { pausedUntil: { lt: until } }] },
    data: { pausedUntil: until, updatedAt: now },
  });
}

/** A call succeeded: the provider's trouble is over. */
export async function clearPause(db: Db, provider: string): Promise<void> {
  await db.providerPause.deleteMany({ where: { provider } });
}

/** Takes one call from a provider's daily budget. @returns false when the day's budget is spent. */
export async function spendCall(db: Db, provider: string, budget: number, now: Date): Promise<boolean> {
  const day = now.toISOString().slice(0, 10);
  const spent = await db.$executeRaw`
    INSERT INTO provider_usage (provider, day, calls) VALUES (${provider}, ${day}::date, 1)
    ON CONFLICT (provider, day) DO UPDATE SET calls = provider_usage.calls + 1 WHERE provider_usage.calls < ${budget}::int`;
  return spent > 0;
}
