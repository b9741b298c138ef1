import type { Report } from '../command-line/command.ts';
import { createSmokeClient } from './client.ts';
import { deadlineIn } from './deadline.ts';
import { StepFailure } from './failure.ts';
import type { SmokeOptions } from './options.ts';
import { startReceiver } from './push-receiver.ts';
import { createSteps, type StepReport, seconds } from './steps.ts';
import { runStory } from './story.ts';
import type { Parcel, StoryDeps } from './story-deps.ts';

export type SmokeRun = Omit<SmokeOptions, 'number'> & { parcel: Parcel } & Pick<
    StoryDeps,
    'pollMs' | 'graceMs' | 'out'
  >;

/** Runs the steps against a deployment until the end or the first failure. */
export async function runSmoke({ parcel, pollMs, graceMs, out, ...options }: SmokeRun): Promise<Report> {
  const { baseUrl, apiKey } = options;
  const startedAt = performance.now();
  const deadline = deadlineIn(options.timeoutSeconds * 1000);
  const steps = createSteps(out);
  const receiver = options.receiver && (await startReceiver(options.receiver));
  try {
    const client = createSmokeClient({ baseUrl, apiKey, deadline });
    await runStory({ client, receiver, deadline, pollMs, graceMs, out }, parcel, steps.run);
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error;
  } finally {
    await receiver?.close();
  }
  return reportOf(steps.reports, { baseUrl, number: parcel.number, ms: Math.round(performance.now() - startedAt) });
}

function reportOf(steps: readonly StepReport[], about: { baseUrl: string; number: string; ms: number }): Report {
  const failed = steps.find(({ ok }) => !ok);
  const { baseUrl, number, ms } = about;
  return {
    lines: [failed ? `Failed at: ${failed.name}` : `All ${steps.length} steps passed in ${seconds(ms)}`],
    json: { ok: !failed, base_url: baseUrl, number, ms, steps },
    failed: failed !== undefined,
  };
}
