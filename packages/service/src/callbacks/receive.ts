import type { Push, PushRequest } from '@pts/carriers/provider-push';
import type { PushReceiver } from '@pts/carriers/providers/push-receivers';
import { normaliseNumber } from '@pts/core/tracking/number';
import { checkSoon, findWatched } from '@pts/db/subscriptions/pushed';
import { type CallbackContext, cadenceOfPushes } from './callback-context.ts';
import { carriersOfCallback } from './carriers-of-callback.ts';
import { followCorrection } from './follow-correction.ts';
import { noteReceived, storeCallback } from './store.ts';

/** The outcome of a push. Only an accepted one has stored anything. */
export type ReceivedPush =
  | { kind: 'forged' }
  | { kind: 'unreadable' }
  /** Numbers in the push, and of these: without a watched parcel; parcels with news. */
  | { kind: 'accepted'; numbers: number; unwatched: number; changed: number };

/**
 * Receives a push of a provider: verifies it, folds its histories into every parcel that they are about, like an answer to
 * a query, wakes the dispatcher, and restarts the safety net. Repeating it changes nothing.
 * @throws when a part of it cannot be stored: the provider must repeat it.
 */
export async function receiveCallback(
  ctx: CallbackContext,
  receiver: PushReceiver,
  request: PushRequest,
): Promise<ReceivedPush> {
  const { keys, wire } = receiver;
  if (!wire.verify(request, keys)) return { kind: 'forged' };
  const pushes = wire.parse(request.rawBody);
  if (pushes === null) return { kind: 'unreadable' };
  let [unwatched, changed] = [0, 0];
  for (const push of pushes) {
    const received = await receiveNumber(ctx, receiver, push);
    if (received === null) unwatched += 1;
    else changed += received;
  }
  return { kind: 'accepted', numbers: pushes.length, unwatched, changed };
}

/** @returns how many parcels it brought news for; null if nobody watches the number. */
async function receiveNumber(ctx: CallbackContext, { provider }: PushReceiver, push: Push): Promise<number | null> {
  const trackingNumber = normaliseNumber(push.number);
  if (trackingNumber === null) return null;
  const { watched, subscriptions } = await findWatched(ctx.db, provider.name, trackingNumber);
  const carriers = carriersOfCallback(push, watched, subscriptions);
  const concerned = watched.filter(({ carrier }) => carriers.includes(carrier));
  const cadence = cadenceOfPushes(ctx, provider);
  const stored = await storeCallback(ctx, provider, push, concerned, cadence);
  if (!stored.isDoubtful) {
    // A subscription that nobody needs is recorded only if it exists: it may have ended.
    const known = subscriptions.map(({ carrier }) => carrier);
    const noted = carriers.filter(
      (carrier) => concerned.some((each) => each.carrier === carrier) || known.includes(carrier),
    );
    for (const carrier of noted) await noteReceived(ctx, provider, { carrier, trackingNumber }, push, cadence);
    await followCorrection(ctx, provider, { trackingNumber, concerned, subscriptions }, push, cadence);
  }
  // After the push was recorded, which postpones checks.
  await checkSoon(ctx.db, stored.unsure, provider.limits.floorSeconds, ctx.now());
  return concerned.length === 0 ? null : stored.changed;
}
