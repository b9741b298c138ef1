import { messageOf } from '@pts/db/errors';
import type { Webhook } from './step-register-receiver.ts';
import type { StoryDeps } from './story-deps.ts';

/** DELETE /webhooks/{id}: cleans up. Not a step, so that it does not hide the result of the run. */
export async function removeReceiver(
  { client, out }: Pick<StoryDeps, 'client' | 'out'>,
  { id }: Webhook,
): Promise<void> {
  try {
    await client.webhooks.delete(id);
  } catch (error) {
    out(`  The webhook ${id} could not be removed and is still registered: ${messageOf(error)}`);
  }
}
