import { accountResponse } from '@pts/contract/account';
import { createdTracking } from '@pts/contract/trackings';
import { expectAnswer } from './client.ts';
import { RefusedRequest, StepFailure } from './failure.ts';
import type { Held } from './steps.ts';
import type { Parcel, StoryDeps } from './story-deps.ts';

export type Created = {
  id: string;
  number: string;
  isFresh: boolean;
  /** Units used before it was registered. */
  usedBefore: number;
};

/** The error numbers of a carrier that cannot be detected or has no provider. */
const NO_CARRIER = 4121;

/** POST /trackings/create: registers a number, and records the quota used before. */
export async function createParcel(
  { client }: Pick<StoryDeps, 'client'>,
  { number, isFresh }: Parcel,
): Promise<Held<Created>> {
  const { quota_used: usedBefore } = await expectAnswer(client.account.get(), accountResponse);
  try {
    const created = await expectAnswer(client.trackings.create(number), createdTracking);
    return {
      value: { id: created.id, number: created.tracking_number, isFresh, usedBefore },
      said: `${created.tracking_number} of ${created.carrier}, ${created.status}`,
    };
  } catch (error) {
    if (!(error instanceof RefusedRequest) || error.code !== NO_CARRIER || !isFresh) throw error;
    throw new StepFailure(
      error.message,
      'This deployment has no sandbox carrier: set --number to a parcel in transit with a carrier that it serves.',
    );
  }
}
