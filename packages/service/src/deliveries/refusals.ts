import { ServiceError } from '@pts/core/errors';

/** The account has no delivery record of this id. */
export function noSuchRecord(): ServiceError {
  return new ServiceError('not_found', {
    text: 'No such delivery record, or it has expired. GET /api/v1/webhooks/deliveries lists your records.',
  });
}
