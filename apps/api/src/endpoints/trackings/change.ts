import { changeRequest, tracking } from '@pts/contract/trackings';
import { ServiceError } from '@pts/core/errors';
import { nothingToChange } from '@pts/core/faults';
import { type TrackingChange, updateTracking } from '@pts/db/trackings/changes';
import { findTracking } from '@pts/db/trackings/records';
import { carrierOf, courierFaults } from '@pts/service/trackings/registration';
import type { ApiDeps } from '../../deps.ts';
import { operation } from '../../http/operation.ts';
import { TRACKING_EXAMPLE } from './example.ts';
import { viewTracking } from './view.ts';

/** PATCH /trackings/{id}: changes what the merchant said of a parcel; a wrong carrier is mended here. */
export const changeTracking = operation({
  method: 'patch',
  path: '/trackings/:id',
  limit: 'trackings.one',
  input: 'body',
  request: changeRequest,
  response: tracking,
  faults: courierFaults,
  doc: {
    id: 'updateTracking',
    tag: 'Trackings',
    summary: 'Change a tracking, or its carrier',
    description:
      'Null clears `title`, `order_id` and `metadata`; `metadata` is replaced as a whole. Another `courier_code` (`auto` detects it again) moves the tracking to that carrier at no charge: what the former carrier said is dropped, the status is 查询中 again, and the new one is asked at once, or as soon as its provider may be asked about this number again. `updated_at` is the time of the last news, so it moves with the carrier only.',
    errors: ['not_registered', 'invalid_id', 'not_found', 'unknown_courier', 'carrier_undetected'],
    example: { request: { courier_code: 'yto', title: null }, response: TRACKING_EXAMPLE },
  },
  async run(deps, { account }, { id, courier_code: courierCode, title, order_id: orderId, metadata }) {
    if ([courierCode, title, orderId, metadata].every((value) => value === undefined)) {
      throw nothingToChange(['courier_code', 'title', 'order_id', 'metadata']);
    }
    const change: TrackingChange = {
      ...(title === undefined ? {} : { title }),
      ...(orderId === undefined ? {} : { orderId }),
      ...(metadata === undefined ? {} : { metadata: metadata as Record<string, string> | null }),
      ...(courierCode === undefined ? {} : { move: await moveTo(deps, account.id, id, courierCode) }),
    };
    const result = await updateTracking(deps.db, { accountId: account.id, id, change, now: deps.now() });
    switch (result.kind) {
      case 'not_registered':
        throw new ServiceError('not_registered');
      case 'taken': {
        const message = `is the carrier of another tracking of this number: ${result.id}`;
        throw new ServiceError('invalid_field', { fields: [{ field: 'courier_code', message }] });
      }
      case 'updated':
        // Only a wake-up call: if it is lost, the sweep finds the check that is due.
        if (result.moved) await deps.producer.query(result.tracking.provider, [{ ids: [id] }]);
        return viewTracking(result.tracking, deps);
      default:
        return result satisfies never;
    }
  },
});

/** The number of a tracking never changes, so its carrier can be looked for before the tracking is locked. */
async function moveTo(deps: ApiDeps, accountId: string, id: string, courierCode: string) {
  const found = await findTracking(deps.db, accountId, id);
  if (!found) throw new ServiceError('not_registered');
  const { carrier, provider, detected } = carrierOf(deps, found.trackingNumber, courierCode);
  return { carrier, provider: provider.name, detected, floorSeconds: provider.limits.floorSeconds };
}
