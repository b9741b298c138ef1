import { createBody, createResponse } from '@pts/contract/trackings';
import { ApiError } from '@pts/core/errors';
import { previewTrackings, registerTrackings } from '@pts/db/trackings/register';
import { order } from '../../bulk.ts';
import { operation } from '../../http/operation.ts';
import { registrationFaults, toRegistration } from '../../registration.ts';
import { viewCreated, viewPreview } from './view.ts';

/** POST /trackings/create: registers a number, charges a unit if it is new, and has its carrier asked at once. */
export const createTracking = operation({
  method: 'post',
  path: '/trackings/create',
  limit: 'trackings.create',
  input: 'body',
  request: createBody,
  response: createResponse,
  faults: registrationFaults,
  doc: {
    id: 'createTracking',
    tag: 'Trackings',
    summary: 'Register a tracking number',
    description:
      'Takes one unit of quota and has the carrier asked at once; its answer takes 3 to 15 seconds. A number that is registered already is answered as it is and costs nothing, so it is safe to repeat. The carrier is detected unless `courier_code` names it. Where the carrier answers only with a further field (`tracking_required_fields` in `GET /couriers/all`) a number without it is refused with 4122, which names the field, and nothing is charged. With `dry_run` only what would happen is answered.',
    errors: [
      ...(['invalid_number', 'number_missing', 'unknown_courier', 'carrier_undetected'] as const),
      ...(['field_needed', 'quota_exhausted'] as const),
    ],
    example: {
      request: { tracking_number: 'YT8962646785999', order_id: 'A-1001', metadata: { shop: 'hangzhou' } },
      response: {
        ...{ id: '691f0a3c5d2b4e6f8a9c0d1e', tracking_number: 'YT8962646785999', carrier: 'yto' },
        ...{ status: '查询中', detected_carrier: 'yto' },
      },
    },
  },
  async run(deps, { account }, input) {
    const registration = toRegistration(deps, input);
    const placed = order(deps, account, [registration]);
    if (input.dry_run) {
      const preview = await previewTrackings(deps.db, placed);
      if (preview.kind === 'quota_exhausted') throw new ApiError('quota_exhausted');
      const [previewed] = preview.trackings.map(viewPreview);
      if (!previewed) throw new Error('a preview came back with no tracking');
      return previewed;
    }
    const result = await registerTrackings(deps.db, placed);
    if (result.kind === 'quota_exhausted') throw new ApiError('quota_exhausted');
    const [tracking] = result.trackings;
    if (!tracking) throw new Error('a registration came back with no tracking');
    // Only a wake-up call: if it is lost, the sweep finds the check that is due.
    if (tracking.created) await deps.producer.query(tracking.provider, [{ ids: [tracking.id] }]);
    return viewCreated(tracking);
  },
});
