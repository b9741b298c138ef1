import { refusedField, ServiceError, unknownTracking } from '@pts/core/errors';
import { normaliseNumber } from '@pts/core/tracking/number';
import type { Status } from '@pts/core/tracking/status';
import { findByNumbers, findProvider, type RetrackResult, retrack } from '@pts/db/trackings/records';
import { nameTrackings } from '@pts/runtime/tracing/tracing';
import type { ServiceContext } from '../context.ts';
import { courierWanted } from './choose-carrier.ts';
import { numberFaults } from './registration.ts';

type Context = Pick<ServiceContext, 'db' | 'producer' | 'providers' | 'now' | 'request'>;

/** A retracked tracking; `status` is the state before the check. */
export type Retracked = { id: string; status: Status; retrackedAt: Date };

/**
 * Checks a tracking with its carrier now, at most once an hour. Stopped polling resumes.
 * @throws ServiceError `not_registered`, and `retrack_too_soon` with the seconds to wait.
 */
export async function retrackTracking(ctx: Context, key: { accountId: string; id: string }): Promise<Retracked> {
  const { id } = key;
  const at = ctx.now();
  const result = await grantRetrack(ctx, { ...key, now: at });
  switch (result.kind) {
    case 'not_registered':
      throw unknownTracking();
    case 'too_soon':
      throw new ServiceError('retrack_too_soon', {
        text: `This tracking was retracked less than 1 hour ago. Try again in ${result.retryAfterSeconds} seconds.`,
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
  { db, providers }: Pick<Context, 'db' | 'providers'>,
  key: { accountId: string; id: string; now: Date },
): Promise<RetrackResult> {
  const name = await findProvider(db, key.accountId, key.id);
  const floorSeconds = providers.find((provider) => provider.name === name)?.limits.floorSeconds ?? 0;
  return retrack(db, { ...key, floorSeconds });
}

/**
 * Retracks by number and, if it is registered with several carriers, `courierCode` or `id`.
 * @throws ServiceError also `invalid_number`, `field_needed` when the carrier must be named, and `invalid_field` when `id` is that of
 *   another parcel: a retrack of the wrong one blocks its next one for an hour.
 */
export async function retrackByNumber(
  ctx: Context,
  {
    accountId,
    id,
    ...input
  }: { accountId: string; id: string | undefined; trackingNumber: string; courierCode: string | undefined },
): Promise<Retracked> {
  const number = normaliseNumber(input.trackingNumber);
  if (number === null)
    throw new ServiceError('invalid_number', { fields: numberFaults({ tracking_number: input.trackingNumber }) });
  const found = await findByNumbers(ctx.db, accountId, [number]);
  const wanted = courierWanted(input.courierCode);
  const ofCarrier = wanted === null ? found : found.filter(({ carrier }) => carrier === wanted);
  if (ofCarrier.length === 0) throw new ServiceError('not_registered');
  const matching = id === undefined ? ofCarrier : ofCarrier.filter((record) => record.id === id);
  const [tracking, another] = matching;
  if (!tracking)
    throw refusedField('id', 'is not that of the tracking number and carrier in the body: send only the id');
  if (another) {
    const message = `is required: the number is registered with ${matching.map(({ carrier }) => carrier).join(' and ')}`;
    throw new ServiceError('field_needed', { fields: [{ field: 'courier_code', message }] });
  }
  return retrackTracking(ctx, { accountId, id: tracking.id });
}
