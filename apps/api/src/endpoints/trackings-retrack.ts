import { retrackById, retrackRequest, retrackResponse } from '@pts/contract/trackings';
import { ApiError } from '@pts/core/errors';
import { ID_PATTERN } from '@pts/core/id';
import { toUtcSeconds } from '@pts/core/time';
import { normaliseNumber } from '@pts/core/tracking/number';
import { findByNumbers, findProvider, retrack } from '@pts/db/trackings';
import type { ApiDeps } from '../deps.ts';
import { endpoint } from '../endpoint.ts';

/** POST /trackings/retrack/{id}: has a tracking's carrier asked again, at most once an hour. */
export const retrackByPath = endpoint({
  method: 'post',
  path: '/trackings/retrack/:id',
  limit: 'trackings.retrack',
  input: 'params',
  request: retrackById,
  response: retrackResponse,
  run: (deps, { account }, { id }) => run(deps, account.id, id),
});

/** POST /trackings/retrack: the same by id, or by number and, where that is registered twice, carrier. */
export const retrackByBody = endpoint({
  method: 'post',
  path: '/trackings/retrack',
  limit: 'trackings.retrack',
  input: 'body',
  request: retrackRequest,
  response: retrackResponse,
  async run(deps, { account }, input) {
    if (input.id !== undefined) return run(deps, account.id, input.id);
    const number = normaliseNumber(input.tracking_number ?? '');
    if (input.tracking_number === undefined)
      throw new ApiError('number_missing', { text: 'Name the tracking: id, or tracking_number.' });
    if (number === null) throw new ApiError('invalid_number');
    const found = await findByNumbers(deps.db, account.id, [number]);
    const matching =
      input.courier_code === undefined ? found : found.filter((record) => record.carrier === input.courier_code);
    const [tracking, another] = matching;
    if (!tracking) throw new ApiError('not_registered');
    if (another) {
      const message = `is needed: the number is registered with ${matching.map((record) => record.carrier).join(' and ')}`;
      throw new ApiError('field_needed', { fields: [{ field: 'courier_code', message }] });
    }
    return run(deps, account.id, tracking.id);
  },
});

async function run({ db, producer, providers, now }: ApiDeps, accountId: string, id: string) {
  if (!ID_PATTERN.test(id)) throw new ApiError('invalid_id');
  const at = now();
  const name = await findProvider(db, accountId, id);
  const floorSeconds = providers.find((provider) => provider.name === name)?.limits.floorSeconds ?? 0;
  const result = await retrack(db, { accountId, id, floorSeconds, now: at });
  switch (result.kind) {
    case 'not_registered':
      throw new ApiError('not_registered');
    case 'too_soon':
      throw new ApiError('retrack_too_soon', {
        text: `This tracking was retracked less than 1 hour ago. Try again in ${result.retryAfterSeconds} seconds.`,
        retryAfterSeconds: result.retryAfterSeconds,
      });
    case 'retracked':
      await producer.retrack(result.provider, [id]);
      return { id, status: result.status, retracked_at: toUtcSeconds(at) };
    default:
      return result satisfies never;
  }
}
