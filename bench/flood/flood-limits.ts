import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '@pts/db/connection/client';
import type { Store } from '@pts/queue/connection';
import { endProcess } from '@pts/testing/app-process';
import { testDatabase } from '@pts/testing/database';
import { redisUrlOn, stores } from '@pts/testing/stores';
import { newMerchant } from '../http/accounts.ts';
import { type Figure, figure } from '../parts/figure.ts';
import { cpuBetween, openInstallation } from '../parts/installation.ts';
import { type Call, newOthers, requestsOf, type Times } from '../parts/others.ts';
import { percentile } from '../parts/samples.ts';
import { seedParcels } from '../seed/seed.ts';
import { type Served, startFlooder } from './flooder.ts';

const ROUNDS = 5;
/** The flood's remaining requests have ended within this time. */
const SETTLE_MS = 3000;
/** Parcels that the flooding account has, and those that it reads. */
const PARCELS = { all: 2000, read: 40 };
const GROUPS = ['api', 'carrier-poller', 'postgres'] as const;

/** What windows in one state have measured. */
type Measured = { times: Times[]; ms: number; cpuMs: Record<(typeof GROUPS)[number], number> };

/**
 * What create and get of twelve accounts take, in milliseconds, while another account uses all of its documented limits at once,
 * with large requests to every operation, and (the bare figure) while it does not; and the cores that the processes use. The
 * built services run as deployed; windows with and without the flood alternate, and a figure is the median over its windows.
 */
export async function benchFloodLimits(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const store of stores()) figures.push(...(await flood(store)));
  return figures;
}

async function flood(store: Store): Promise<Figure[]> {
  const database = await testDatabase();
  const installation = await openInstallation({
    databaseUrl: database.url,
    redisUrl: redisUrlOn(store),
    apps: { 'sandbox-carrier': 1, api: 1, 'carrier-poller': 1 },
    // Two of these limits are higher, so that a late request of the others is never refused: the flooder sends no more than by default.
    env: { RATE_LIMITS: 'trackings.create=100,trackings.get=100' },
  });
  const { db, apiUrl, usage } = installation;
  const flooder = await startMix(db, apiUrl);
  const others = await newOthers(db, apiUrl);
  const measure = async (into: Measured) => {
    const [before, startedAt] = [usage(), performance.now()];
    into.times.push(await requestsOf(others, apiUrl));
    const after = usage();
    into.ms += performance.now() - startedAt;
    for (const group of GROUPS) into.cpuMs[group] += cpuBetween(before, after, [group]);
  };
  const [quiet, flooded] = [newMeasured(), newMeasured()];
  let served: Served = { sent: 0, answered: 0 };
  await requestsOf(others, apiUrl);
  for (let round = 0; round < ROUNDS; round++) {
    await measure(quiet);
    flooder.send('start');
    // The others never rest: while they did, the flooder would be free to use everything.
    await requestsOf(others, apiUrl);
    await measure(flooded);
    flooder.send('stop');
    [served] = (await once(flooder, 'message')) as [Served];
    await delay(SETTLE_MS);
  }
  await endProcess(flooder);
  await installation.close();
  await database.close();
  const answered = figure('flood-limits-answered', served.answered, served.sent, 'requests', store);
  return [...figuresOf(flooded, quiet, store), answered];
}

function newMeasured(): Measured {
  return { times: [], ms: 0, cpuMs: { api: 0, 'carrier-poller': 0, postgres: 0 } };
}

function figuresOf(flooded: Measured, quiet: Measured, store: Store): Figure[] {
  const typical = ({ times }: Measured, kind: Call, share: number) => {
    const windows = times.map((each) => percentile(each[kind], share));
    return percentile(windows, 0.5);
  };
  const cores = ({ cpuMs, ms }: Measured, group: (typeof GROUPS)[number]) => cpuMs[group] / ms;
  return [
    ...(['create', 'get'] as const).flatMap((kind) =>
      [0.5, 0.95, 0.99].map((share) => {
        const name = `flood-limits-${kind}-p${share * 100}`;
        return figure(name, typical(flooded, kind, share), typical(quiet, kind, share), 'ms', store);
      }),
    ),
    ...GROUPS.map((group) =>
      figure(`flood-limits-cpu-${group}`, cores(flooded, group), cores(quiet, group), 'cores', store),
    ),
  ];
}

/** The flooder, of an account that has parcels to read. */
async function startMix(db: Db, url: string) {
  const { accountId, apiKey: key } = await newMerchant(db);
  const parcels = { accountId, total: PARCELS.all, changing: 0, intervalSeconds: 3600, now: new Date() };
  await seedParcels(db, parcels, () => {});
  const select = { id: true, trackingNumber: true };
  const known = await db.tracking.findMany({ select, where: { accountId }, take: PARCELS.read });
  return startFlooder({ url, key, mixFor: known.map(({ id, trackingNumber }) => ({ id, number: trackingNumber })) });
}
