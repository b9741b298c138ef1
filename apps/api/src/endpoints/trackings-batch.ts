import { batchResponse } from '@pts/contract/bulk';
import { readItems, registerMany } from '../bulk.ts';
import { ANY_INPUT, endpoint } from '../endpoint.ts';
import { viewCreated } from '../views.ts';

/** POST /trackings/batch: registers up to 40 numbers at once; each faulty one is told apart. */
export const batchTrackings = endpoint({
  method: 'post',
  path: '/trackings/batch',
  limit: 'trackings.batch',
  input: 'body',
  request: ANY_INPUT,
  response: batchResponse,
  async run(deps, caller, input) {
    const { trackings, errors } = await registerMany(deps, caller, readItems(input));
    return { success: trackings.map(viewCreated), error: errors };
  },
});
