import { BODY_BYTES } from '@pts/contract/body-limits';
import { bareArray, batchAnswer, bulkBody, bulkQuery } from '@pts/contract/bulk';
import { ERRORS, ServiceError } from '@pts/core/errors';
import { previewMany, readItems, registerMany } from '../../bulk.ts';
import { ANY_INPUT, type Caller, operation } from '../../http/operation.ts';
import { viewCreated, viewPreview } from './view.ts';

/** A refused number of a bulk call, as the API reference shows it. */
export const INVALID_ITEM_EXAMPLE = {
  tracking_number: 'no',
  courier_code: null,
  errorCode: ERRORS.invalid_number.number,
  errorMessage: ERRORS.invalid_number.text,
};

/** POST /trackings/batch: registers up to 40 numbers at once; each faulty one is told apart. */
export const batchTrackings = operation({
  method: 'post',
  path: '/trackings/batch',
  limit: 'trackings.batch',
  bodyBytes: BODY_BYTES.bulk,
  input: 'body',
  request: ANY_INPUT,
  response: batchAnswer,
  doc: {
    id: 'createTrackings',
    tag: 'Bulk',
    summary: 'Register up to 40 numbers at once',
    description:
      'Numbers that are refused are told in `error`, each with its own number and reason (4110, 4111, 4120, 4121, 4122 or 4130); the others are registered. The quota is all or nothing: when it is too small for the new ones, none is stored and none is charged. A bare array of trackings is taken as the body, too. With `dry_run` only what would happen is answered; a bare array says it in the query.',
    errors: ['number_missing', 'batch_too_large', 'quota_exhausted'],
    requestBody: bulkBody,
    otherBody: bareArray,
    query: bulkQuery,
    example: {
      request: { trackings: [{ tracking_number: 'YT8962646785999', order_id: 'A-1001' }, { tracking_number: 'no' }] },
      response: {
        success: [
          {
            ...{ id: '691f0a3c5d2b4e6f8a9c0d1e', tracking_number: 'YT8962646785999', carrier: 'yto' },
            ...{ status: '查询中', detected_carrier: 'yto' },
          },
        ],
        error: [INVALID_ITEM_EXAMPLE],
      },
    },
  },
  async run(deps, caller, input) {
    if (isDryRun(caller, input)) {
      const { trackings, errors } = await previewMany(deps, caller, readItems(input));
      const success = trackings.map(viewPreview);
      const charged = success.reduce((sum, entry) => sum + entry.would_charge, 0);
      return { dry_run: true, success, error: errors, would_charge: charged };
    }
    const { trackings, errors } = await registerMany(deps, caller, readItems(input));
    return { success: trackings.map(viewCreated), error: errors };
  },
});

/** Said in the body, or, as a bare array has no room for it, in the query. */
export function isDryRun({ query }: Caller, body: unknown): boolean {
  const inBody = typeof body === 'object' && body !== null && 'dry_run' in body ? body.dry_run : undefined;
  const inQuery = query.dry_run === 'true' ? true : query.dry_run === 'false' ? false : query.dry_run;
  const said = [inBody, inQuery].filter((value) => value !== undefined);
  if (said.every((value) => typeof value === 'boolean')) return said.includes(true);
  throw new ServiceError('invalid_field', { fields: [{ field: 'dry_run', message: 'must be true or false' }] });
}
