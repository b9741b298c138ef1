import { BODY_BYTES } from '../body-limits.ts';
import { ANY_INPUT, defineRoute, NO_INPUT } from '../operation.ts';
import { idParam, v4Batch, v4Created, v4Query, v4Record } from '../schemas/compat-v4.ts';
import { candidate, courier, detectRequest } from '../schemas/couriers.ts';

/** Version 4 of the API family, below /v4. Each operation shares the limit of our equivalent operation. */
export const createV4 = defineRoute({
  method: 'post',
  path: '/trackings/create',
  limit: 'trackings.create',
  scope: 'write',
  input: 'body',
  request: ANY_INPUT,
  response: v4Created,
});

export const batchV4 = defineRoute({
  method: 'post',
  path: '/trackings/batch',
  limit: 'trackings.batch',
  scope: 'write',
  bodyBytes: BODY_BYTES.bulk,
  input: 'body',
  request: ANY_INPUT,
  response: v4Batch,
});

export const getV4 = defineRoute({
  method: 'get',
  path: '/trackings/get',
  limit: 'trackings.get',
  scope: 'read',
  input: 'query',
  request: v4Query,
  response: { type: 'array', items: v4Record },
});

export const updateV4 = defineRoute({
  method: 'put',
  path: '/trackings/update/:id',
  limit: 'trackings.one',
  scope: 'write',
  input: 'body',
  request: { type: 'object' },
  response: v4Record,
});

export const deleteV4 = defineRoute({
  method: 'delete',
  path: '/trackings/delete/:id',
  limit: 'trackings.one',
  scope: 'write',
  input: 'params',
  request: idParam,
  response: v4Created,
});

export const retrackV4 = defineRoute({
  method: 'post',
  path: '/trackings/retrack/:id',
  limit: 'trackings.retrack',
  scope: 'write',
  input: 'params',
  request: idParam,
  response: v4Record,
});

export const couriersV4 = defineRoute({
  method: 'get',
  path: '/couriers/all',
  limit: 'couriers',
  scope: 'read',
  input: null,
  cacheable: true,
  request: NO_INPUT,
  response: { type: 'array', items: courier },
});

export const detectV4 = defineRoute({
  method: 'post',
  path: '/couriers/detect',
  limit: 'detect',
  scope: 'read',
  bodyBytes: BODY_BYTES.number,
  input: 'body',
  request: detectRequest,
  response: { type: 'array', items: candidate },
});
