import { ServiceError, unknownTracking } from '@pts/core/errors';
import { type TrackingChange, updateTracking } from '@pts/db/trackings/changes';
import { type InputChange, toWire } from '@pts/db/trackings/inputs';
import type { TrackingRecord } from '@pts/db/trackings/records';
import type { ServiceContext } from '../context.ts';
import { chooseCarrierFor, loadLearned } from './choose-carrier.ts';
import { findRegistered } from './find.ts';
import { wakePollers } from './wake-pollers.ts';

type Context = Pick<ServiceContext, 'db' | 'producer' | 'providers' | 'sandbox' | 'learned' | 'now'>;

/** The fields of a tracking that a merchant can change; null clears. `courierCode` names another carrier or `auto`. */
export type MerchantChange = Omit<TrackingChange, 'move'> & { courierCode?: string | undefined };

/**
 * Changes the merchant's fields of a tracking. With another carrier the tracking moves there. That carrier, or the same one with
 * other fields that it needs, is checked at once, at no charge.
 * @throws ServiceError `not_registered`, `unknown_courier`, `carrier_undetected`, and `invalid_field` when the number is
 *   registered with the carrier already.
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
    case 'taken': {
      const message = `is already the carrier of another tracking with this number: ${result.id}`;
      throw new ServiceError('invalid_field', { fields: [{ field: 'courier_code', message }] });
    }
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
  await loadLearned(ctx, [{ tracking_number: found.trackingNumber, courier_code: courierCode }]);
  const given = { ...toWire({ ...found, ...fields }), courier_code: courierCode };
  const { carrier, provider, detected, candidates } = chooseCarrierFor(ctx, found.trackingNumber, given);
  const first = ctx.providers.find(({ name }) => name === candidates?.[0]?.provider) ?? provider;
  return { carrier, provider: first.name, detected, candidates, floorSeconds: first.limits.floorSeconds };
}
