import { getResponse } from '@pts/contract/trackings';
import { expectAnswer } from './client.ts';
import { poll } from './deadline.ts';
import { StepFailure } from './failure.ts';
import type { Created } from './step-create-parcel.ts';
import { type Held, seconds } from './steps.ts';
import type { StoryDeps } from './story-deps.ts';

const DELIVERED = '已签收';

/** GET /trackings/get until the parcel is delivered; reports each new status. */
export async function followParcel(
  { client, deadline, pollMs, out }: Pick<StoryDeps, 'client' | 'deadline' | 'pollMs' | 'out'>,
  { id, number }: Created,
): Promise<Held<void>> {
  const startedAt = performance.now();
  const seen: string[] = [];
  let scans = 0;
  const look = async () => {
    const { success } = await expectAnswer(client.trackings.get(number), getResponse);
    const tracking = success.find((one) => one.id === id);
    if (!tracking) throw new StepFailure(`the response does not contain ${id}`);
    scans = tracking.events.length;
    if (tracking.status !== seen.at(-1)) {
      seen.push(tracking.status);
      out(`  ${seconds(performance.now() - startedAt).padStart(34)}  ${tracking.status}`);
    }
    return tracking.status === DELIVERED ? true : null;
  };
  if (await poll(look, pollMs, deadline)) return { value: undefined, said: `${seen.join(' → ')}, ${scans} scans` };
  throw tooLate(seen.at(-1), scans);
}

function tooLate(status: string | undefined, scans: number): StepFailure {
  const hint =
    scans === 0
      ? 'No scan has arrived yet: is the carrier poller running? In production, it checks carriers every 5 minutes: increase --timeout.'
      : 'In production, checks are 5 minutes apart: increase --timeout.';
  return new StepFailure(`at the timeout it was still ${status}, with ${scans} scans`, hint);
}
