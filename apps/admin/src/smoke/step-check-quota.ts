import { accountResponse } from '@pts/contract/account';
import { expectAnswer } from './client.ts';
import { StepFailure } from './failure.ts';
import type { Created } from './step-create-parcel.ts';
import type { Held } from './steps.ts';
import type { StoryDeps } from './story-deps.ts';

/** GET /account: the parcel was charged. Others may use the account at the same time, so more than one unit may be used. */
export async function checkQuota(
  { client }: Pick<StoryDeps, 'client'>,
  { usedBefore, isFresh }: Created,
): Promise<Held<void>> {
  const { quota_used, quota_limit } = await expectAnswer(client.account.get(), accountResponse);
  // A number that was registered before is not charged again.
  if (isFresh && quota_used <= usedBefore)
    throw new StepFailure(`${quota_used} units used, the same as before the parcel was registered`);
  return { value: undefined, said: `${quota_used} of ${quota_limit} units used, ${usedBefore} before` };
}
