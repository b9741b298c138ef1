import type { Callback, CallbackRequest } from '@pts/carriers/provider';
import type { CallbackReceiver } from '@pts/carriers/providers/configured';
import { normaliseNumber } from '@pts/core/tracking/number';
import { checkSoon, findWatched } from '@pts/db/subscriptions/callbacks';
import { type CallbackContext, cadenceOfCallbacks } from './callback-context.ts';
import { carriersOfCallback } from './carriers-of-callback.ts';
import { followCorrection } from './follow-correction.ts';
import { noteReceived, storeCallback } from './store.ts';

/** The outcome of a callback. Only an accepted one has stored anything. */
export type ReceivedCallback =
  | { kind: 'forged' }
  | { kind: 'unreadable' }
  /** Numbers in the callback, and of these: without a watched parcel; parcels with news. */
  | { kind: 'accepted'; numbers: number; unwatched: number; changed: number };

/**
 * Receives a callback of a provider: verifies it, folds its histories into every parcel that they are about, like an answer to
 * a query, wakes the dispatcher, and restarts the safety net. Repeating it changes nothing.
 * @throws when a part of it cannot be stored: the provider must repeat it.
 */
export async function receiveCallback(
  ctx: CallbackContext,
  receiver: CallbackReceiver,
  request: CallbackRequest,
): Promise<ReceivedCallback> {
  const { keys, wire } = receiver;
  if (!wire.verify(request, keys)) return { kind: 'forged' };
  const callbacks = wire.parse(request.rawBody);
  if (callbacks === null) return { kind: 'unreadable' };
  let [unwatched, changed] = [0, 0];
  for (const callback of callbacks) {
    const received = await receiveNumber(ctx, receiver, callback);
    if (received === null) unwatched += 1;
    else changed += received;
  }
  return { kind: 'accepted', numbers: callbacks.length, unwatched, changed };
}

/** @returns how many parcels it brought news for; null if nobody watches the number. */
async function receiveNumber(
  ctx: CallbackContext,
  { provider }: CallbackReceiver,
  callback: Callback,
): Promise<number | null> {
  const trackingNumber = normaliseNumber(callback.number);
  if (trackingNumber === null) return null;
  const { watched, subscriptions } = await findWatched(ctx.db, provider.name, trackingNumber);
  const carriers = carriersOfCallback(callback, watched, subscriptions);
  const concerned = watched.filter(({ carrier }) => carriers.includes(carrier));
  const cadence = cadenceOfCallbacks(ctx, provider);
  const stored = await storeCallback(ctx, provider, callback, concerned, cadence);
  if (!stored.isDoubtful) {
    // A subscription that nobody needs is recorded only if it exists: it may have ended.
    const known = subscriptions.map(({ carrier }) => carrier);
    const noted = carriers.filter(
      (carrier) => concerned.some((each) => each.carrier === carrier) || known.includes(carrier),
    );
    for (const carrier of noted) await noteReceived(ctx, provider, { carrier, trackingNumber }, callback, cadence);
    await followCorrection(ctx, provider, { trackingNumber, concerned, subscriptions }, callback, cadence);
  }
  // After the callback was recorded, which postpones checks.
  const asked = stored.unsure.filter(({ isAsked }) => isAsked);
  await checkSoon(ctx.db, asked, provider.limits.floorSeconds, ctx.now());
  return concerned.length === 0 ? null : stored.changed;
}
