import { retrackById, retrackRequest, retrackResponse } from '@pts/contract/retrack';
import { ServiceError } from '@pts/core/errors';
import type { Fault } from '@pts/core/faults';
import { toUtcSeconds } from '@pts/core/time';
import { normaliseNumber } from '@pts/core/tracking/number';
import { findByNumbers, findProvider, retrack } from '@pts/db/trackings/records';
import { courierFaults, courierWanted, numberFaults } from '@pts/service/trackings/registration';
import type { ApiDeps } from '../../deps.ts';
import { operation } from '../../http/operation.ts';

const RETRACKED_EXAMPLE = {
  id: '691f0a3c5d2b4e6f8a9c0d1e',
  status: '查询中',
  retracked_at: '2025-11-21T01:02:03Z',
};

/** POST /trackings/retrack/{id}: has a tracking's carrier asked again, at most once an hour. */
export const retrackByPath = operation({
  method: 'post',
  path: '/trackings/retrack/:id',
  limit: 'trackings.retrack',
  input: 'params',
  request: retrackById,
  response: retrackResponse,
  doc: {
    id: 'retrackTracking',
    tag: 'Trackings',
    summary: 'Have a carrier asked again',
    description:
      'Once an hour for each tracking; sooner is refused with 4113 and a `Retry-After`. Also revives a tracking that had expired. The answer is what is known so far: read the tracking a few seconds later.',
    errors: ['not_registered', 'invalid_id', 'retrack_too_soon'],
    example: { response: RETRACKED_EXAMPLE },
  },
  run: (deps, { account }, { id }) => run(deps, account.id, id),
});

/** POST /trackings/retrack: the same by id, or by number and, where that is registered twice, carrier. */
export const retrackByBody = operation({
  method: 'post',
  path: '/trackings/retrack',
  limit: 'trackings.retrack',
  input: 'body',
  request: retrackRequest,
  response: retrackResponse,
  faults: (deps, input) => [...nothingNamed(input), ...numberFaults(input), ...courierFaults(deps, input)],
  doc: {
    id: 'retrackByNumber',
    tag: 'Trackings',
    summary: 'Have a carrier asked again, by number',
    description:
      'The same by `tracking_number`, or by `id`. Where the number is registered with several carriers, `courier_code` says which.',
    errors: [
      ...(['not_registered', 'invalid_id', 'invalid_number', 'number_missing'] as const),
      ...(['retrack_too_soon', 'field_needed', 'unknown_courier'] as const),
    ],
    example: { request: { tracking_number: 'YT8962646785999' }, response: RETRACKED_EXAMPLE },
  },
  async run(deps, { account }, input) {
    if (input.id !== undefined) return run(deps, account.id, input.id);
    const number = normaliseNumber(input.tracking_number ?? '');
    if (number === null) throw new ServiceError('invalid_number');
    const found = await findByNumbers(deps.db, account.id, [number]);
    const wanted = courierWanted(input.courier_code);
    const matching = wanted === null ? found : found.filter((record) => record.carrier === wanted);
    const [tracking, another] = matching;
    if (!tracking) throw new ServiceError('not_registered');
    if (another) {
      const message = `is needed: the number is registered with ${matching.map((record) => record.carrier).join(' and ')}`;
      throw new ServiceError('field_needed', { fields: [{ field: 'courier_code', message }] });
    }
    return run(deps, account.id, tracking.id);
  },
});

function nothingNamed(input: Record<string, unknown>): Fault[] {
  if (input.id !== undefined || input.tracking_number !== undefined) return [];
  return [{ field: 'tracking_number', message: 'is missing: send it, or id', error: 'number_missing' }];
}

async function run({ db, producer, providers, now }: ApiDeps, accountId: string, id: string) {
  const at = now();
  const name = await findProvider(db, accountId, id);
  const floorSeconds = providers.find((provider) => provider.name === name)?.limits.floorSeconds ?? 0;
  const result = await retrack(db, { accountId, id, floorSeconds, now: at });
  switch (result.kind) {
    case 'not_registered':
      throw new ServiceError('not_registered');
    case 'too_soon':
      throw new ServiceError('retrack_too_soon', {
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
