import { eventually } from '@pts/testing/eventually';
import { until } from '../disturb.ts';
import type { Replica } from '../world/replica.ts';
import type { Discrepancy } from './facts.ts';

const DEADLINE_MS = 90_000;
/** A process looks at its queues this often. */
const LOOK_EVERY_MS = 15_000;
/** A wake-up is received within milliseconds. */
const LATE_SECONDS = 5;

/**
 * After all faults, wake-ups are received from each queue again: the sweeps alone would do all work, too, and hide that.
 * @param since when the last fault was over.
 */
export async function checkQueues(replicas: readonly Replica[], since: number): Promise<Discrepancy[]> {
  await until(since + 2 * LOOK_EVERY_MS);
  const workers = replicas.filter(({ app }) => app !== 'api');
  const unproven = await Promise.all(workers.map(unprovenQueues));
  return unproven.flat().map((about) => ({ promise: 'wake-ups are received from each queue', about }));
}

/** @returns those that are not proven at the deadline either. */
async function unprovenQueues({ name, managementUrl }: Replica): Promise<string[]> {
  let unproven: string[] = [];
  const look = async () => {
    unproven = [`${name} does not answer`];
    const response = await fetch(`${managementUrl}/metrics`, { signal: AbortSignal.timeout(5000) });
    const text = await response.text();
    unproven = [
      ...queuesIn(text, 'pts_queue_unreachable', (value) => value > 0),
      ...queuesIn(text, 'pts_queue_oldest_seconds', (value) => value >= LATE_SECONDS),
    ].map((queue) => `${name}: ${queue}`);
    if (unproven.length > 0) throw new Error(unproven.join(', '));
  };
  await eventually(look, { deadlineMs: DEADLINE_MS }).catch(() => {});
  return unproven;
}

/** The queues whose value of a metric is as described. */
function queuesIn(metrics: string, name: string, matches: (value: number) => boolean): string[] {
  const values = metrics.matchAll(new RegExp(`^${name}\\{.*queue="([^"]+)".*\\} (\\S+)$`, 'gm'));
  return Array.from(values).flatMap(([, queue = '', value]) => (matches(Number(value)) ? [queue] : []));
}
