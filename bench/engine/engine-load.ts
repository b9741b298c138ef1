import { randomBytes } from 'node:crypto';
import { newId } from '@pts/core/id';
import { storeMessages } from '@pts/db/deliveries/pending';
import { enabledEndpoints } from '@pts/db/webhooks';
import { openQueue } from '@pts/queue/connection';
import { createProducer } from '@pts/queue/producer';
import { lotPrefix } from '@pts/sandbox-carrier/journeys/seeded';
import type { Installation } from '../installation.ts';
import { atRateWhile, call, EXAMPLE, type Merchant } from '../merchant.ts';
import { percentile } from '../samples.ts';

/** The result of a load: the wanted and the achieved rate, the number of failures, and each duration if it was measured. */
export type LoadReport = {
  name: string;
  wanted: number;
  made: number;
  failed: number;
  p50Ms?: number;
  p99Ms?: number;
  maxMs?: number;
};
export type Load = { report(): LoadReport | Promise<LoadReport>; stop(): Promise<void> };

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

/** Parcels in one request of an import, and requests at once. */
const IMPORT_BATCH = 40;
const IMPORT_CONCURRENCY = 4;

/** Registers parcels in batches, as fast as the API takes them. Its times are those from a registration to the first answer. */
export function startImport({ apiUrl, db }: Installation, merchant: Merchant, total: number): Load {
  const prefix = lotPrefix({ startsAt: new Date(Date.now() - 7 * 86_400_000), everySeconds: 0 });
  const startedAt = performance.now();
  let [next, made, seconds, failed] = [0, 0, 0, 0];
  const lane = async () => {
    while (next < total) {
      const count = Math.min(IMPORT_BATCH, total - next);
      const numbers = Array.from({ length: count }, (_, n) => `${prefix}${String(next + n).padStart(9, '0')}`);
      next += count;
      try {
        const trackings = numbers.map((number) => ({ tracking_number: number, courier_code: 'sandbox' }));
        await call(apiUrl, merchant, '/trackings/batch', { trackings });
        made += count;
      } catch (error) {
        if (failed++ === 0) console.error('import:', error);
      }
    }
    seconds = (performance.now() - startedAt) / 1000;
  };
  const running = Promise.all(Array.from({ length: IMPORT_CONCURRENCY }, lane));
  return {
    report: async () => {
      const [times] = await db.$queryRaw<{ p50Ms: number; p99Ms: number; maxMs: number; answered: number }[]>`
        SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY ms) AS "p50Ms", percentile_disc(0.99) WITHIN GROUP (ORDER BY ms) AS "p99Ms",
          max(ms) AS "maxMs", count(ms)::int AS answered
        FROM (SELECT (extract(epoch FROM answered_at - created_at) * 1000)::float8 AS ms FROM trackings
          WHERE account_id = ${merchant.accountId} AND tracking_number LIKE ${`${prefix}%`}) t`;
      console.error(
        `import: ${made} registered in ${seconds.toFixed(1)} s, ${times?.answered} answered, ${JSON.stringify(times)}`,
      );
      return {
        name: 'import',
        wanted: total,
        made: made / (seconds || 1),
        failed: failed + made - (times?.answered ?? 0),
        ...times,
      };
    },
    stop: async () => {
      next = total;
      await running;
    },
  };
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
  // A parcel's event with the same seq and content is stored once.
  let seq = 0;
  const load = keepUp('events', perSecond / size, [], async () => {
    const now = new Date();
    const emitted = Array.from({ length: size }, () => ({
      event: 'tracking_update' as const,
      accountId,
      tracking: { ...EXAMPLE, id: known?.id ?? newId(now, randomBytes(8)), seq: ++seq },
    }));
    await producer.deliver(await db.$hotTransaction((tx) => storeMessages(tx, emitted, endpoints, now)));
    return size;
  });
  return {
    report: async () => ({ ...(await load.report()), wanted: perSecond }),
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
