import { ServiceError } from '@pts/core/errors';

/** The account has no delivery record of this id. */
export function noSuchRecord(): ServiceError {
  return new ServiceError('not_found', {
    text: 'There is no such delivery record, or it is not kept any more. GET /api/v1/webhooks/deliveries lists yours.',
  });
}
