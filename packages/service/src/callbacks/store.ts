import type { Callback, Provider } from '@pts/carriers/provider';
import { boundAnswer, fingerprintOf } from '@pts/core/tracking/answer';
import { cleanText } from '@pts/core/tracking/outside-text';
import { idsOf } from '@pts/core/tracking/schedule';
import { saveAnswersApart } from '@pts/db/checks/answers-apart';
import type { Cadence } from '@pts/db/checks/schedule';
import { noteCallback, type WatchedNumber } from '@pts/db/subscriptions/callbacks';
import type { SubscribedNumber } from '@pts/db/subscriptions/wanted';
import { currentTraceparent, nameTrackings } from '@pts/runtime/tracing/tracing';
import type { CallbackContext } from './callback-context.ts';

/**
 * How many parcels it brought news for, and for which of them a check must confirm it. If all of them need a check, the
 * callback does not count.
 */
export type StoredCallback = { changed: number; unsure: readonly WatchedNumber[]; isDoubtful: boolean };

/**
 * Folds the history of a callback into the parcels that it is about, exactly like an answer to a query. Parcels for which it
 * cannot be read, may be old, or may be another parcel's are unsure; so are all if the callback only says that there is news.
 * @throws when it could not be stored for a parcel.
 */
export async function storeCallback(
  ctx: CallbackContext,
  { name }: Provider,
  callback: Callback,
  concerned: readonly WatchedNumber[],
  cadence: Cadence,
): Promise<StoredCallback> {
  const { db, producer, signals, logger, estimator, pageOf, now } = ctx;
  const ids = idsOf(concerned);
  nameTrackings(ctx.request, ids);
  const traceparent = currentTraceparent();
  if (callback.isNotice) return { changed: 0, unsure: concerned, isDoubtful: false };
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
  const saved = await saveAnswersApart(db, await estimator.prepare(answers, now()), cadence, now(), pageOf);
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
export async function noteReceived(
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
