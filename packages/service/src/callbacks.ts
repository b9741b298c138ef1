import type { Callback, CallbackRequest, Provider } from '@pts/carriers/provider';
import type { CallbackReceiver } from '@pts/carriers/providers/configured';
import { findCarrier } from '@pts/carriers/registry/registry';
import type { PageAddresses } from '@pts/core/page';
import { boundAnswer, fingerprintOf } from '@pts/core/tracking/answer';
import { normaliseNumber } from '@pts/core/tracking/number';
import { cleanText } from '@pts/core/tracking/outside-text';
import { idsOf } from '@pts/core/tracking/schedule';
import { saveAnswersApart } from '@pts/db/checks/answers';
import type { Cadence } from '@pts/db/checks/schedule';
import {
  checkSoon,
  correctCarrier,
  findWatched,
  type KnownSubscription,
  noteCallback,
  noteOtherCarrier,
  type SubscribedNumber,
  type WatchedNumber,
} from '@pts/db/subscriptions';
import type { Signals } from '@pts/queue/signals';
import type { Logger } from '@pts/runtime/logger';
import { currentTraceparent, nameTrackings } from '@pts/runtime/tracing/tracing';
import type { ServiceContext } from './context.ts';
import type { Estimator } from './estimates.ts';

/** The outcome of a callback. Only an accepted one has stored anything. */
type ReceivedCallback =
  | { kind: 'forged' }
  | { kind: 'unreadable' }
  /** Numbers in the callback, and of these: without a watched parcel; parcels with news. */
  | { kind: 'accepted'; numbers: number; unwatched: number; changed: number };

/**
 * Receives a callback of a provider: verifies it, folds its histories into every parcel that they are about, like an
 * answer to a query, wakes the dispatcher, and restarts the safety net. Repeating it changes nothing.
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

/**
 * How many parcels it brought news for, and for which of them a check must confirm it. If all of them need a check, the
 * callback does not count.
 */
type StoredCallback = { changed: number; unsure: readonly WatchedNumber[]; isDoubtful: boolean };

/**
 * Folds the history of a callback into the parcels that it is about, exactly like an answer to a query. Parcels for
 * which it cannot be read, may be old, or may be another parcel's are unsure; so are all if the callback only says that
 * there is news.
 * @throws when it could not be stored for a parcel.
 */
async function storeCallback(
  ctx: CallbackContext,
  { name }: Provider,
  callback: Callback,
  concerned: readonly WatchedNumber[],
  cadence: Cadence,
): Promise<StoredCallback> {
  const { db, producer, signals, logger, estimator, pages, now } = ctx;
  const ids = idsOf(concerned);
  nameTrackings(ctx.request, ids);
  const traceparent = currentTraceparent();
  if (callback.isThin) return { changed: 0, unsure: concerned, isDoubtful: false };
  const answer = boundAnswer(callback.answer);
  const fingerprint = fingerprintOf(answer, now());
  if (fingerprint === null) {
    logger.warn({ provider: name, trackingIds: ids.slice(0, 10) }, 'a history in a callback could not be read');
    return { changed: 0, unsure: concerned, isDoubtful: true };
  }
  const changed = concerned.filter((parcel) => parcel.fingerprint !== fingerprint && !saysLess(callback, parcel));
  if (changed.length === 0) return { changed: 0, unsure: [], isDoubtful: false };
  const answers = changed.map(({ trackingId, accountId, carrier }) => ({
    trackingId,
    accountId,
    carrier,
    answer,
    fingerprint,
    provider: name,
    finalLook: false,
    isCallback: true as const,
    requestedAt: now(),
    traceparent,
  }));
  const saved = await saveAnswersApart(db, await estimator.prepare(answers, now()), cadence, now(), pages);
  await Promise.all([producer.deliver(saved.pending), signals.publish('events', saved.accounts)]);
  const [failed] = saved.unsaved;
  if (failed) throw failed.error;
  // A stream may be waiting for the first answer.
  const first = idsOf(changed.filter((parcel) => parcel.fingerprint === null));
  await signals.publish('answered', first);
  const toConfirm = new Set([...saved.quarantined, ...saved.doubtful]);
  const unsure = changed.filter(({ trackingId }) => toConfirm.has(trackingId));
  if (unsure.length > 0)
    logger.warn(
      { provider: name, trackingIds: idsOf(unsure).slice(0, 10) },
      'a history in a callback must be confirmed by a check',
    );
  return { changed: saved.news.length, unsure, isDoubtful: unsure.length === changed.length };
}

/** "Not found" says less than a known history. */
function saysLess({ answer }: Callback, { fingerprint: known }: WatchedNumber): boolean {
  return answer.kind === 'not_found' && known !== null;
}

/** Records what a callback says about its subscription. */
async function noteReceived(
  { db, now }: CallbackContext,
  { name, callbacks }: Provider,
  number: SubscribedNumber,
  { watch, reason, movedTo }: Callback,
  cadence: Cadence,
): Promise<void> {
  const state = ({ going_on: 'active', ended: 'ended', aborted: 'wanted' } as const)[watch];
  await noteCallback(
    db,
    {
      ...number,
      provider: name,
      state,
      reason: reason === undefined ? undefined : cleanText(reason),
      // The carrier that it was corrected to is not corrected itself, despite earlier corrections.
      movedTo: movedTo === number.carrier ? null : movedTo,
      resubscribeSeconds: callbacks?.resubscribeSeconds ?? 0,
    },
    cadence,
    now(),
  );
}

type Concerned = {
  trackingNumber: string;
  concerned: readonly WatchedNumber[];
  subscriptions: readonly KnownSubscription[];
};

/**
 * The provider has corrected the carrier of a number: parcels whose carrier was detected move to it with their history,
 * and merchants who named another one are notified. Later callbacks count for the new carrier.
 */
async function followCorrection(
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

/**
 * The carriers, by our codes, that a callback is about: of those that it may name, all that are subscribed to or
 * watched. Providers also send callbacks under the code of a company that we know by another name: then the number
 * decides, if it is subscribed to, or watched, with one carrier only.
 */
export function carriersOfCallback(
  { carriers }: Pick<Callback, 'carriers'>,
  watched: readonly Pick<WatchedNumber, 'carrier'>[],
  subscriptions: readonly KnownSubscription[],
): string[] {
  const named = [
    ...subscriptions.filter(({ carrier, movedTo }) => isNamed(carriers, carrier) || isNamed(carriers, movedTo)),
    ...watched.filter(({ carrier }) => isNamed(carriers, carrier)),
  ];
  if (named.length > 0) return distinct(named);
  const [subscribed, all] = [distinct(subscriptions), distinct(watched)];
  return [subscribed, all].find((list) => list.length === 1) ?? [];
}

function isNamed(carriers: readonly string[], carrier: string | null): boolean {
  return carrier !== null && carriers.includes(carrier);
}

function distinct(list: readonly { carrier: string }[]): string[] {
  return [...new Set(list.map(({ carrier }) => carrier))];
}

/** The dependencies for receiving callbacks. */
type CallbackContext = Pick<
  ServiceContext,
  'db' | 'producer' | 'monitoredSeconds' | 'idleSeconds' | 'safetyNetSeconds' | 'now' | 'request'
> & {
  /** Estimates from history, for carriers that give none. */
  estimator: Estimator;
  /** The addresses of parcels' pages, for pushes. */
  pages: PageAddresses;
  signals: Pick<Signals, 'publish'>;
  logger: Pick<Logger, 'warn'>;
};

/** The check intervals of parcels of a provider that sends callbacks. */
function cadenceOfCallbacks(
  { monitoredSeconds, idleSeconds, safetyNetSeconds }: CallbackContext,
  { limits: { floorSeconds } }: Provider,
): Cadence {
  const safetyNet = safetyNetSeconds === null ? {} : { safetyNetSeconds };
  return { monitoredSeconds, idleSeconds, floorSeconds, ...safetyNet };
}
