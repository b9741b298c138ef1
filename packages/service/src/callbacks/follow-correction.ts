import type { Callback, Provider } from '@pts/carriers/provider';
import { findCarrier } from '@pts/carriers/registry/registry';
import type { Cadence } from '@pts/db/checks/schedule';
import type { KnownSubscription, WatchedNumber } from '@pts/db/subscriptions/callbacks';
import { correctCarrier, noteOtherCarrier } from '@pts/db/subscriptions/moved';
import type { CallbackContext } from './callback-context.ts';
import { noteReceived } from './store.ts';

type Concerned = {
  trackingNumber: string;
  concerned: readonly WatchedNumber[];
  subscriptions: readonly KnownSubscription[];
};

/**
 * The provider has corrected the carrier of a number: parcels whose carrier was detected move to it with their history, and
 * merchants who named another one are notified. Later callbacks count for the new carrier.
 */
export async function followCorrection(
  ctx: CallbackContext,
  provider: Provider,
  { trackingNumber, concerned, subscriptions }: Concerned,
  callback: Callback,
  cadence: Cadence,
): Promise<void> {
  const target = callback.movedTo ?? lastCorrection(subscriptions);
  if (target === undefined || !provider.serves(target)) return;
  const wrong = concerned.filter(({ carrier }) => carrier !== target);
  if (wrong.length === 0) return;
  const [detected, named] = [wrong.filter((parcel) => parcel.detected), wrong.filter((parcel) => !parcel.detected)];
  const move = { provider: provider.name, carrier: target };
  const moved = await correctCarrier(ctx.db, detected, move);
  if (moved.length > 0) await noteReceived(ctx, provider, { carrier: target, trackingNumber }, callback, cadence);
  const name = findCarrier(target, { sandbox: true })?.name ?? target;
  const notice = `${provider.callbacks?.title ?? provider.name} reports that ${name} carries this parcel. If that is right, send "courier_code": "${target}" with PATCH /api/v1/trackings/{id}.`;
  if (named.length > 0) await noteOtherCarrier(ctx.db, named, notice);
}

/** The carriers of corrections that earlier callbacks made. */
function lastCorrection(subscriptions: readonly KnownSubscription[]): string | undefined {
  const corrected = subscriptions.filter(({ movedTo }) => movedTo !== null);
  const targets = corrected.flatMap(({ movedTo }) => movedTo ?? []);
  return targets.find((target) => !corrected.some(({ carrier }) => carrier === target));
}
