import { routeFor } from '@pts/carriers/providers/configured';
import { quotaLimit, remaining } from '@pts/core/account';
import { unknownTracking } from '@pts/core/errors';
import { nextMonthOf } from '@pts/core/time';
import { type Account, quotaUsed } from '@pts/db/accounts/accounts';
import { type Explained, explainTracking as readTracking } from '@pts/db/trackings/explain';
import type { ServiceContext } from '../context.ts';
import { type CallbackExplanation, explainCallbacks } from './explain-callbacks.ts';
import { type CarrierExplanation, explainCarrier } from './explain-carrier.ts';
import {
  type CadenceExplanation,
  explainCadence,
  explainFailing,
  explainQuarantine,
  explainWatch,
  type FailingExplanation,
  type Hold,
  heldBackBy,
  type QuarantineExplanation,
  type WatchExplanation,
} from './explain-watch.ts';

type Context = Pick<
  ServiceContext,
  'db' | 'providers' | 'sandbox' | 'quotas' | 'monitoredSeconds' | 'idleSeconds' | 'safetyNetSeconds' | 'now'
>;

/** The quota of the account for this month. */
export type QuotaExplanation = { limit: number; used: number; left: number; resetsAt: Date; message: string };

/** The explanation of a tracking's state. */
export type Explanation = {
  tracking: Explained;
  carrier: CarrierExplanation;
  /** The providers that can be queried for its carrier, in order. */
  route: string[];
  watch: WatchExplanation;
  cadence: CadenceExplanation;
  callbacks: CallbackExplanation | null;
  failing: FailingExplanation | null;
  quarantine: QuarantineExplanation | null;
  holds: Hold[];
  quota: QuotaExplanation;
};

/**
 * Explains the state of a tracking: its carrier, its past and next checks, their results, and what delays the next one.
 * @throws ServiceError `not_registered`.
 */
export async function explainTracking(
  ctx: Context,
  { account, id }: { account: Account; id: string },
): Promise<Explanation> {
  const tracking = await readTracking(ctx.db, account.id, id);
  if (!tracking) throw unknownTracking();
  const now = ctx.now();
  const provider = ctx.providers.find(({ name }) => name === tracking.provider);
  const floorSeconds = provider?.limits.floorSeconds ?? 0;
  return {
    tracking,
    carrier: explainCarrier(tracking, ctx),
    route: routeFor(tracking.carrier, ctx.providers).map(({ name }) => name),
    watch: explainWatch(tracking, ctx),
    callbacks: explainCallbacks(tracking, ctx),
    cadence: explainCadence(tracking, ctx, floorSeconds),
    failing: explainFailing(tracking),
    quarantine: explainQuarantine(tracking),
    holds: heldBackBy(tracking, { floorSeconds, isServed: provider !== undefined, now }),
    quota: await explainQuota(ctx, account, now),
  };
}

async function explainQuota(
  { db, quotas }: Context,
  { id, plan, quotaOverride }: Account,
  now: Date,
): Promise<QuotaExplanation> {
  const limit = quotaLimit(plan, quotaOverride, quotas);
  const used = await quotaUsed(db, id, now);
  const left = remaining(limit, used);
  const message =
    left > 0
      ? 'This tracking was charged when it was registered; checks are free.'
      : 'The quota is used up: new numbers are refused until it resets. Checks of this tracking continue.';
  return { limit, used, left, resetsAt: nextMonthOf(now), message };
}
