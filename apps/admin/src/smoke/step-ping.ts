import { testResponse } from '@pts/contract/webhooks';
import { expectAnswer } from './client.ts';
import { StepFailure } from './failure.ts';
import type { Receiver } from './push-receiver.ts';
import type { Webhook } from './step-register-receiver.ts';
import type { Held } from './steps.ts';
import type { StoryDeps } from './story-deps.ts';

/** POST /webhooks/test: a ping reaches our receiver with a valid signature. */
export async function ping(
  { client }: Pick<StoryDeps, 'client'>,
  receiver: Receiver,
  { id }: Webhook,
): Promise<Held<void>> {
  const { reachable, http_status, response_ms } = await expectAnswer(client.webhooks.test(id), testResponse);
  if (!reachable) {
    throw new StepFailure(
      `the service cannot reach ${receiver.url}`,
      'The service may reach this machine under another address: see --receiver-host and --receiver-url.',
    );
  }
  const push = receiver.pushes.find(({ body }) => body.event === 'ping' && body.data?.webhook_id === id);
  if (!push) throw new StepFailure(`the ping was answered with ${http_status}, but not by this receiver`);
  if (!push.verdict.ok) throw new StepFailure(`the ping does not verify: ${push.verdict.message}`);
  if (http_status !== 200) throw new StepFailure(`our answer 200 was reported as ${http_status}`);
  return { value: undefined, said: `verified, answered within ${response_ms} ms` };
}
