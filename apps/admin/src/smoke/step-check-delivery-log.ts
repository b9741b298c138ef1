import { deliveriesResponse } from '@pts/contract/deliveries';
import { expectAnswer } from './client.ts';
import { deadlineIn, poll } from './deadline.ts';
import { StepFailure } from './failure.ts';
import type { Push } from './push-receiver.ts';
import type { Webhook } from './step-register-receiver.ts';
import type { Held } from './steps.ts';
import type { StoryDeps } from './story-deps.ts';

/** GET /webhooks/deliveries lists every push that we answered with 200, after a short delay, because records are batched. */
export async function checkDeliveryLog(
  { client, pollMs, graceMs }: Pick<StoryDeps, 'client' | 'pollMs' | 'graceMs'>,
  webhook: Webhook,
  pushes: readonly Push[],
): Promise<Held<void>> {
  const pending = new Set(pushes.map(({ verdict }) => (verdict.ok ? verdict.messageId : null)));
  const look = async () => {
    const { items } = await expectAnswer(client.webhooks.deliveries(), deliveriesResponse);
    for (const { webhook_id, message_id, status_code } of items)
      if (webhook_id === webhook.id && status_code === 200) pending.delete(message_id);
    return pending.size === 0 ? true : null;
  };
  if (await poll(look, pollMs, deadlineIn(graceMs)))
    return { value: undefined, said: `lists all ${pushes.length} with 200` };
  throw new StepFailure(`lacks ${pending.size} of ${pushes.length} pushes that were answered with 200`);
}
