import { registerResponse } from '@pts/contract/webhooks';
import { EVENT_KINDS } from '@pts/core/tracking/emit';
import { expectAnswer } from './client.ts';
import { RefusedRequest, StepFailure } from './failure.ts';
import type { Receiver } from './push-receiver.ts';
import type { Held } from './steps.ts';
import type { StoryDeps } from './story-deps.ts';

export type Webhook = { id: string };

/** The error number of an invalid field, here the URL. */
const INVALID_FIELD = 4130;

/** POST /webhooks: registers our receiver for all events. If it is already registered, its secret changes. */
export async function registerReceiver(
  { client }: Pick<StoryDeps, 'client'>,
  receiver: Receiver,
): Promise<Held<Webhook>> {
  try {
    const { id, url, secret } = await expectAnswer(
      client.webhooks.register({ url: receiver.url, events: [...EVENT_KINDS] }),
      registerResponse,
    );
    receiver.trust(secret);
    return { value: { id }, said: `at ${url}, for all events` };
  } catch (error) {
    if (!(error instanceof RefusedRequest) || error.code !== INVALID_FIELD) throw error;
    throw new StepFailure(
      error.message,
      'If the deployment refuses private receivers, as it should in production, set --receiver-url to a public https URL that leads to --receiver-port of this machine, or skip webhooks with --no-webhook.',
    );
  }
}
