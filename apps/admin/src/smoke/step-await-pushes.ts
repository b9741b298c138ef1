import { poll } from './deadline.ts';
import { StepFailure } from './failure.ts';
import type { Push, Receiver } from './push-receiver.ts';
import type { Created } from './step-create-parcel.ts';
import type { Held } from './steps.ts';
import type { StoryDeps } from './story-deps.ts';

const EXPECTED = ['tracking_update', 'tracking_delivered'];
const LOOK_MS = 50;

/** Waits for the parcel's pushes; those of other parcels are ignored. */
export async function awaitPushes(
  { deadline, graceMs }: Pick<StoryDeps, 'deadline' | 'graceMs'>,
  receiver: Receiver,
  { id, isFresh }: Created,
): Promise<Held<Push[]>> {
  const ours = () => receiver.pushes.filter(({ body }) => body.data?.id === id);
  const missing = () =>
    EXPECTED.filter((event) => !ours().some(({ verdict }) => verdict.ok && verdict.event === event));
  await poll(
    async () => (missing().length === 0 || refusalIn(ours()) ? true : null),
    LOOK_MS,
    deadline.atLeast(graceMs),
  );
  const refusal = refusalIn(ours());
  if (refusal) throw new StepFailure(`a push does not verify: ${refusal}`);
  if (missing().length > 0) {
    throw new StepFailure(
      `${missing().join(' and ')} did not arrive`,
      isFresh
        ? 'Is the webhook dispatcher running? GET /api/v1/webhooks/deliveries lists the attempts.'
        : 'A parcel that was delivered before causes no new pushes: omit --number, or give another.',
    );
  }
  return { value: ours(), said: `${ours().length} verified: ${countsOf(ours())}` };
}

function refusalIn(pushes: readonly Push[]): string | null {
  const refused = pushes.find(({ verdict }) => !verdict.ok)?.verdict;
  return refused && !refused.ok ? refused.message : null;
}

/** `4 tracking_update, 1 tracking_delivered` */
function countsOf(pushes: readonly Push[]): string {
  const counts = new Map<string, number>();
  for (const { body } of pushes) counts.set(body.event ?? '', (counts.get(body.event ?? '') ?? 0) + 1);
  return [...counts].map(([event, count]) => `${count} ${event}`).join(', ');
}
