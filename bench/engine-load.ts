import { randomBytes } from 'node:crypto';
import { newId } from '@pts/core/id';
import { storeMessages } from '@pts/db/deliveries/messages';
import { enabledEndpoints } from '@pts/db/webhooks/endpoints';
import { openQueue } from '@pts/queue/connection';
import { createProducer } from '@pts/queue/producer';
import { lotPrefix } from '@pts/sandbox-carrier/seeded';
import { atRateWhile, call, type Merchant } from './accounts.ts';
import { EXAMPLE } from './example.ts';
import type { Installation } from './installation.ts';
import { percentile } from './samples.ts';

/** The result of a load: the wanted and the achieved rate, the number of failures, and each duration if it was measured. */
export type LoadReport = {
  name: string;
  wanted: number;
  made: number;
  failed: number;
  p50Ms?: number;
  p99Ms?: number;
};
export type Load = { report(): LoadReport; stop(): Promise<void> };

/** Batches of events per second. */
const BATCHES = 10;

/** Registers new parcels over HTTP at a rate, until it is stopped. */
export function startRegistrations({ apiUrl }: Installation, merchant: Merchant, perSecond: number): Load {
  const prefix = lotPrefix({ startsAt: new Date(Date.now() - 7 * 86_400_000), everySeconds: 0 });
  const times: number[] = [];
  let next = 0;
  return keepUp('registrations', perSecond, times, async () => {
    const number = `${prefix}${String(next++).padStart(9, '0')}`;
    const startedAt = performance.now();
    await call(apiUrl, merchant, '/trackings/create', { tracking_number: number, courier_code: 'sandbox' });
    times.push(performance.now() - startedAt);
    return 1;
  });
}

/** Stores events of a parcel and wakes the dispatcher, at a rate, until it is stopped. */
export async function startDeliveries(
  installation: Installation,
  merchant: Merchant,
  perSecond: number,
): Promise<Load> {
  const { db, queue: place } = installation;
  // The sweeps find lost wake-ups, which this run shows.
  const queue = await openQueue({ ...place, onError: () => {} });
  const producer = createProducer(queue, () => {});
  const { accountId } = merchant;
  const [known] = await db.tracking.findMany({ where: { accountId }, select: { id: true }, take: 1 });
  const endpoints = await enabledEndpoints(db, [accountId]);
  const size = Math.max(1, Math.round(perSecond / BATCHES));
  const load = keepUp('events', perSecond / size, [], async () => {
    const now = new Date();
    const emitted = Array.from({ length: size }, () => ({
      event: 'tracking_update' as const,
      accountId,
      tracking: { ...EXAMPLE, id: known?.id ?? newId(now, randomBytes(8)), seq: 1 },
    }));
    await producer.deliver(await db.$hotTransaction((tx) => storeMessages(tx, emitted, endpoints, now)));
    return size;
  });
  return {
    report: () => ({ ...load.report(), wanted: perSecond }),
    stop: async () => {
      await load.stop();
      await producer.close();
      await queue.close();
    },
  };
}

/** @param work returns how many it has made. */
function keepUp(name: string, perSecond: number, times: readonly number[], work: () => Promise<number>): Load {
  let made = 0;
  let failed = 0;
  let isOn = true;
  const startedAt = performance.now();
  const one = async () => {
    try {
      // Not `made += await …`, which would forget what others make meanwhile.
      const count = await work();
      made += count;
    } catch (error) {
      // A long run continues; the first failure is shown, and all are counted.
      if (failed++ === 0) console.error(`${name}:`, error);
    }
  };
  const running = atRateWhile(perSecond, () => isOn, one);
  return {
    report: () => ({
      name,
      wanted: perSecond,
      failed,
      made: made / ((performance.now() - startedAt) / 1000),
      ...(times.length > 0 && { p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) }),
    }),
    stop: async () => {
      isOn = false;
      await running;
    },
  };
}
