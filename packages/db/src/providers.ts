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

/** How long a probe is waited for before another one may be made. */
const PROBE_LEASE_SECONDS = 60;

/**
 * Takes the right to make the one call that tells whether a provider's trouble is over: its pause has ended and
 * something of it is due. Of several callers one gets it; when its call is never answered, another one later.
 */
export async function takeProbe(db: Db, provider: string, now: Date): Promise<boolean> {
  const at = now.toISOString();
  const overdue = new Date(now.getTime() - PROBE_LEASE_SECONDS * 1000).toISOString();
  const taken = await db.$executeRaw`
    UPDATE public.provider_pauses SET updated_at = ${at}::timestamptz
    WHERE provider = ${provider} AND paused_until <= ${at}::timestamptz
      AND (updated_at <= paused_until OR updated_at <= ${overdue}::timestamptz)
      AND EXISTS (SELECT 1 FROM public.checks WHERE provider = ${provider} AND next_check_at <= ${at}::timestamptz)`;
  return taken > 0;
}

/**
 * A call that was made at `askedAt` succeeded: the provider's trouble is over. A pause that began meanwhile, or that
 * the call had not waited for, stays.
 * @returns whether it ended the trouble.
 */
export async function clearPause(db: Db, provider: string, askedAt: Date): Promise<boolean> {
  const { count } = await db.providerPause.deleteMany({
    where: { provider, OR: [{ pausedUntil: null }, { pausedUntil: { lte: askedAt } }] },
  });
  return count > 0;
}

/** Takes one call from a provider's daily budget. @returns false when the day's budget is spent. */
export async function spendCall(db: Db, provider: string, budget: number, now: Date): Promise<boolean> {
  const day = now.toISOString().slice(0, 10);
  const spent = await db.$executeRaw`
    INSERT INTO public.provider_usage (provider, day, calls) VALUES (${provider}, ${day}::date, 1)
    ON CONFLICT (provider, day) DO UPDATE SET calls = provider_usage.calls + 1 WHERE provider_usage.calls < ${budget}::int`;
  return spent > 0;
}
