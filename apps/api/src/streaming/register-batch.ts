import type { itemError } from '@pts/contract/batch';
import type { Infer } from '@pts/contract/infer';
import { registerWhatFits } from '@pts/service/trackings/register';
import type { ApiDeps } from '../deps.ts';
import { readPlaced, refusedView } from '../endpoints/batch.ts';
import type { TimeSlices } from '../http/limits/time-slices.ts';
import type { Exchange } from '../http/operation.ts';
import type { Item } from './input.ts';

/** Numbers by their positions in the input of a stream. */
export type Accepted = { index: number; id: string };
export type Refused = Infer<typeof itemError>;

/**
 * Registers a batch of a stream: as many as the quota allows, in their order; the others are refused. The key is confirmed when
 * the account's turn comes, so the batch is charged to the account as it is then.
 * @throws what `confirm` throws; then nothing of the batch is registered.
 */
export async function registerBatch(
  deps: ApiDeps,
  accountId: string,
  { confirm, baseUrl }: { confirm: Exchange['confirm']; baseUrl: string },
  batch: readonly Item[],
  slices: TimeSlices,
): Promise<{ accepted: Accepted[]; refused: Refused[] }> {
  const items = await readPlaced(deps, batch, slices);
  const register = async () => registerWhatFits(deps, (await confirm()).account, items);
  const { accepted, refused } = await deps.bulkhead.run(accountId, register);
  return {
    accepted: accepted.map(({ given, tracking }) => ({ index: given.index, id: tracking.id })),
    refused: refused
      .map(({ given, error }) => ({
        given: { index: given.index, value: 'value' in given ? given.value : null },
        error,
      }))
      .map(refusedView(baseUrl)),
  };
}
