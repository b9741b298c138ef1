import { meResponse } from '@pts/contract/account';
import { expectAnswer } from './client.ts';
import { RefusedRequest, StepFailure } from './failure.ts';
import type { Held } from './steps.ts';
import type { StoryDeps } from './story-deps.ts';

/** GET /auth/me: the key belongs to an account. */
export async function whoAmI({ client }: Pick<StoryDeps, 'client'>): Promise<Held<void>> {
  try {
    const { account_id, name, plan } = await expectAnswer(client.auth.me(), meResponse);
    return { value: undefined, said: `of ${name} (${account_id}), plan ${plan}` };
  } catch (error) {
    if (!(error instanceof RefusedRequest) || error.code !== 401) throw error;
    throw new StepFailure(error.message, 'Set API_KEY to an active key of this deployment; `keys create` makes one.');
  }
}
