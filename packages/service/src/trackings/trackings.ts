import type { WatchMode } from '@pts/contract/trackings';
import { refusedField, ServiceError, unknownTracking } from '@pts/core/errors';
import { joined, message } from '@pts/core/languages/message';
import { normaliseNumber } from '@pts/core/tracking/number';
import type { Status } from '@pts/core/tracking/status';
import { type InputChange, toWire } from '@pts/db/trackings/inputs';
import {
  findByNumbers,
  findProvider,
  findRestorable,
  findTracking,
  type RetrackResult,
  restoreTrackings,
  retrack,
  stopTracking as stop,
  type TrackingChange,
  type TrackingRecord,
  updateTracking,
} from '@pts/db/trackings/records';
import { nameTrackings } from '@pts/runtime/tracing/tracing';
import type { ServiceContext } from '../context.ts';
import { chooseCarrierFor, courierWanted, loadLearned, numberFaults, wakePollers } from './register.ts';

/** The tracking of this id. @throws ServiceError `not_found` when the account has none. */
export async function findRegistered(
  { db }: Pick<ServiceContext, 'db'>,
  accountId: string,
  id: string,
): Promise<TrackingRecord> {
  const tracking = await findTracking(db, accountId, id);
  if (!tracking) throw unknownTracking();
  return tracking;
}

type Context = Pick<ServiceContext, 'db' | 'producer' | 'providers' | 'sandbox' | 'learned' | 'now'>;

/** The fields of a tracking that a merchant can change; null clears. `courierCode` names another carrier or `auto`. */
type MerchantChange = Omit<TrackingChange, 'move'> & { courierCode?: string | undefined };

/**
 * Changes the merchant's fields of a tracking. With another carrier the tracking moves there. That carrier, or the same
 * one with other fields that it needs, is checked at once, at no charge.
 * @throws ServiceError `not_found`, `unknown_courier`, `carrier_undetected`, and `invalid_field` when the number
 *   is registered with the carrier already.
 */
export async function changeTracking(
  ctx: Context,
  { accountId, id, change }: { accountId: string; id: string; change: MerchantChange },
): Promise<TrackingRecord> {
  const { courierCode, ...fields } = change;
  const move = courierCode === undefined ? undefined : await moveTo(ctx, { accountId, id, courierCode, fields });
  const floorSecondsOf = (provider: string) =>
    ctx.providers.find(({ name }) => name === provider)?.limits.floorSeconds ?? 0;
  const wanted = { ...fields, move };
  const result = await updateTracking(ctx.db, { accountId, id, change: wanted, floorSecondsOf, now: ctx.now() });
  switch (result.kind) {
    case 'not_registered':
      throw unknownTracking();
    case 'taken':
      throw refusedField('courier_code', message('field.courier_taken', { other: result.id }));
    case 'updated':
      if (result.isDue) await wakePollers(ctx, accountId, [result.tracking]);
      return result.tracking;
    default:
      return result satisfies never;
  }
}

/** The number of a tracking never changes, so its carrier can be detected before the tracking is locked. */
async function moveTo(
  ctx: Context,
  { accountId, id, courierCode, fields }: { accountId: string; id: string; courierCode: string; fields: InputChange },
) {
  const found = await findRegistered(ctx, accountId, id);
  const choice = { ...ctx, accountId };
  await loadLearned(choice, [{ tracking_number: found.trackingNumber, courier_code: courierCode }]);
  const given = { ...toWire({ ...found, ...fields }), courier_code: courierCode };
  const { carrier, provider, detected, candidates } = chooseCarrierFor(choice, found.trackingNumber, given);
  const first = ctx.providers.find(({ name }) => name === candidates?.[0]?.provider) ?? provider;
  return { carrier, provider: first.name, detected, candidates, floorSeconds: first.limits.floorSeconds };
}

/** One request restores so many parcels of a bulk action. */
const RESTORED_AT_ONCE = 1000;

/** The result of a request to restore removed parcels; `more`: the bulk action has removed others that can be, too. */
export type Restored = {
  restored: string[];
  not_restored: { id: string; reason: 'not_found' | 'registered_again' }[];
  more: boolean;
};

/**
 * Restores removed trackings, by their ids or by the bulk action that removed them, within 24 hours and at no charge.
 * @throws ServiceError `invalid_field` unless the input has one of the two.
 */
export async function restoreRemovedTrackings(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  { accountId, ids, bulk_action_id: bulkActionId }: { accountId: string; ids?: string[]; bulk_action_id?: string },
): Promise<Restored> {
  if ((ids === undefined) === (bulkActionId === undefined)) throw refusedField('ids', message('field.ids_or_action'));
  const key = { accountId, now: now() };
  if (ids === undefined) {
    const which = { bulkActionId: bulkActionId ?? '', limit: RESTORED_AT_ONCE };
    const restored = await restoreTrackings(db, { ...key, ...which });
    return { restored, not_restored: [], more: restored.length === RESTORED_AT_ONCE };
  }
  const restored = await restoreTrackings(db, { ...key, ids });
  const missing = ids.filter((id) => !restored.includes(id));
  const known = missing.length === 0 ? [] : await findRestorable(db, { ...key, ids: missing });
  const reasonOf = (id: string) => (known.includes(id) ? ('registered_again' as const) : ('not_found' as const));
  return { restored, not_restored: missing.map((id) => ({ id, reason: reasonOf(id) })), more: false };
}

type RetrackContext = Pick<ServiceContext, 'db' | 'producer' | 'providers' | 'now' | 'request'>;

/** A retracked tracking; `status` is the state before the check. */
export type Retracked = { id: string; status: Status; retrackedAt: Date };

/**
 * Checks a tracking with its carrier now, at most once an hour. Stopped polling resumes.
 * @throws ServiceError `not_found`, and `retrack_too_soon` with the seconds to wait.
 */
export async function retrackTracking(ctx: RetrackContext, key: { accountId: string; id: string }): Promise<Retracked> {
  const { id } = key;
  const at = ctx.now();
  const result = await grantRetrack(ctx, { ...key, now: at });
  switch (result.kind) {
    case 'not_registered':
      throw unknownTracking();
    case 'too_soon':
      throw new ServiceError('retrack_too_soon', {
        text: message('retrack_too_soon', { seconds: result.retryAfterSeconds }),
        retryAfterSeconds: result.retryAfterSeconds,
      });
    case 'retracked':
      nameTrackings(ctx.request, [id]);
      await ctx.producer.retrack(result.provider, { ids: [id], accounts: [key.accountId] });
      return { id, status: result.status, retrackedAt: at };
    default:
      return result satisfies never;
  }
}

/** Makes the check of a tracking due, if it may be retracked; the sweep finds it, unless a job is faster. */
export async function grantRetrack(
  { db, providers }: Pick<RetrackContext, 'db' | 'providers'>,
  key: { accountId: string; id: string; now: Date },
): Promise<RetrackResult> {
  const name = await findProvider(db, key.accountId, key.id);
  const floorSeconds = providers.find((provider) => provider.name === name)?.limits.floorSeconds ?? 0;
  return retrack(db, { ...key, floorSeconds });
}

/** How a caller names one tracking: by its id, or by its number and, if several carriers have that, its carrier. */
export type Named = { id?: string | undefined; trackingNumber?: string | undefined; courierCode?: string | undefined };

/** `retrackTracking` of a tracking that is named. @throws ServiceError also as `idOf` */
export async function retrackNamed(ctx: RetrackContext, accountId: string, named: Named): Promise<Retracked> {
  return retrackTracking(ctx, { accountId, id: await idOf(ctx, accountId, named) });
}

/**
 * The id of the tracking that is named; one without a number is returned as it is.
 * @throws ServiceError `number_missing`, `invalid_number`, `not_registered`, `field_needed` when the carrier must be
 *   named, and `invalid_field` when `id` is that of another parcel: a retrack of the wrong one blocks its next one for
 *   an hour.
 */
export async function idOf(
  { db }: Pick<ServiceContext, 'db'>,
  accountId: string,
  { id, trackingNumber, courierCode }: Named,
): Promise<string> {
  if (trackingNumber === undefined) {
    if (id !== undefined) return id;
    const fields = [{ field: 'tracking_number', message: message('field.missing_or_id') }];
    throw new ServiceError('number_missing', { fields });
  }
  const number = normaliseNumber(trackingNumber);
  if (number === null)
    throw new ServiceError('invalid_number', { fields: numberFaults({ tracking_number: trackingNumber }) });
  const found = await findByNumbers(db, accountId, [number]);
  const wanted = courierWanted(courierCode);
  const ofCarrier = wanted === null ? found : found.filter(({ carrier }) => carrier === wanted);
  if (ofCarrier.length === 0) throw new ServiceError('not_registered');
  const matching = id === undefined ? ofCarrier : ofCarrier.filter((record) => record.id === id);
  const [tracking, another] = matching;
  if (!tracking) throw refusedField('id', message('field.id_of_other'));
  if (another) {
    const carriers = matching.map(({ carrier }) => carrier);
    const fields = [
      { field: 'courier_code', message: message('field.courier_ambiguous', { carriers: joined('and', carriers) }) },
    ];
    throw new ServiceError('field_needed', { fields });
  }
  return tracking.id;
}

/**
 * Ends the polling of a tracking, which stays as it is; a retrack resumes it. Repeating it changes nothing.
 * @throws ServiceError `not_found`.
 */
export async function stopTracking(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  { accountId, id }: { accountId: string; id: string },
): Promise<TrackingRecord> {
  const { kind } = await stop(db, { accountId, id, now: now() });
  if (kind === 'not_registered') throw unknownTracking();
  return findRegistered({ db }, accountId, id);
}

export type WatchContext = Pick<ServiceContext, 'providers' | 'monitoredSeconds' | 'idleSeconds' | 'safetyNetSeconds'>;
type Watched = Pick<TrackingRecord, 'provider' | 'nextCheckAt' | 'isFinalLook' | 'isMonitored' | 'isPushed'>;

/** How a parcel is polled. `intervalSeconds` is null if checks are not regular. */
export type Watch = { mode: WatchMode; intervalSeconds: number | null; nextCheckAt: Date | null };

/** How a parcel is watched: the interval of its checks, if they are regular, and the next one. */
export function watchOf(tracking: Watched, ctx: WatchContext): Watch {
  const { nextCheckAt, isFinalLook } = tracking;
  const provider = ctx.providers.find(({ name }) => name === tracking.provider);
  // No check runs for a provider that was removed from the configuration.
  if (nextCheckAt === null || !provider) return { mode: 'stopped', intervalSeconds: null, nextCheckAt: null };
  if (isFinalLook) return { mode: 'final_look', intervalSeconds: null, nextCheckAt };
  const { floorSeconds } = provider.limits;
  if (tracking.isPushed && provider.callbacks && ctx.safetyNetSeconds !== null)
    return { mode: 'pushed', intervalSeconds: Math.max(ctx.safetyNetSeconds, floorSeconds), nextCheckAt };
  return { mode: 'polled', intervalSeconds: intervalSeconds(tracking, ctx, floorSeconds), nextCheckAt };
}

/** Seconds between two checks: the account's interval, but never below the provider's floor. */
export function intervalSeconds(
  { isMonitored }: Pick<Watched, 'isMonitored'>,
  { monitoredSeconds, idleSeconds }: Pick<WatchContext, 'monitoredSeconds' | 'idleSeconds'>,
  floorSeconds: number,
): number {
  return Math.max(isMonitored ? monitoredSeconds : idleSeconds, floorSeconds);
}
