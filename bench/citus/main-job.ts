import { randomBytes } from 'node:crypto';
import type { Db } from '@pts/db/connection/client';
import { keyRefusal } from '@pts/db/migrate/installation';
import { createKeyring } from '@pts/runtime/encryption/keyring';
import { lotPrefix } from '@pts/sandbox-carrier/journeys/seeded';
import { eventually } from '@pts/testing/eventually';
import { call, type Merchant, newMerchant, registerReceiver } from '../http/accounts.ts';
import { type Installation, openInstallation } from '../parts/installation.ts';
import { totalOf } from '../parts/samples.ts';
import { startSink } from '../parts/sink.ts';

const MERCHANTS = 6;
const BATCH = 40;
/** For a refused job: long enough that a slow one would have begun. */
const DEADLINE_MS = 45_000;
const APPS = { 'sandbox-carrier': 1, api: 1, 'carrier-poller': 1, 'webhook-dispatcher': 1 } as const;

const ENCRYPTION_KEY = randomBytes(32).toString('base64');

/** Makes the key of the services that of a database. Before its first endpoint: those of a fixture have no real secret. */
export async function claimKey(db: Db): Promise<void> {
  const refusal = await keyRefusal(db, createKeyring([ENCRYPTION_KEY]));
  if (refusal !== null) throw new Error(refusal);
}

export type MainJob = { registeredPerSecond: number; pushedPerSecond: number };

type Place = { databaseUrl: string; redisUrl: string };

/**
 * The services on a migrated database: merchants register parcels in batches, all at once; each parcel is checked, and its history
 * pushed. @throws if a step of it does not happen
 */
export async function runMainJob({ databaseUrl, redisUrl }: Place, parcels: number): Promise<MainJob> {
  const sink = await startSink();
  const env = { SANDBOX_CALLS_PER_SECOND: '1000', ENCRYPTION_KEY };
  const installation = await openInstallation({ databaseUrl, redisUrl, apps: APPS, env });
  try {
    const merchants: Merchant[] = [];
    for (let n = 0; n < MERCHANTS; n++) {
      const merchant = await newMerchant(installation.db);
      await registerReceiver(installation.apiUrl, merchant, sink.url);
      merchants.push(merchant);
    }
    const pushed = pushesOf(installation);
    const before = await pushed();
    const startedAt = performance.now();
    const seconds = () => (performance.now() - startedAt) / 1000;
    await Promise.all(merchants.map((merchant) => register(installation.apiUrl, merchant, parcels / MERCHANTS)));
    const registeredPerSecond = parcels / seconds();
    await eventually(
      async () => {
        const done = (await pushed()) - before;
        if (done < parcels) throw new Error(`${done} of ${parcels} parcels were pushed`);
      },
      { deadlineMs: DEADLINE_MS, everyMs: 50 },
    );
    return { registeredPerSecond, pushedPerSecond: parcels / seconds() };
  } finally {
    await installation.close();
    await sink.close();
  }
}

async function register(apiUrl: string, merchant: Merchant, count: number): Promise<void> {
  const prefix = lotPrefix({ startsAt: new Date(Date.now() - 7 * 86_400_000), everySeconds: 0 });
  for (let next = 0; next < count; next += BATCH) {
    const trackings = Array.from({ length: Math.min(BATCH, count - next) }, (_, n) => ({
      tracking_number: `${prefix}${String(next + n).padStart(9, '0')}`,
      courier_code: 'sandbox',
    }));
    await call(apiUrl, merchant, '/trackings/batch', { trackings });
  }
}

function pushesOf({ metrics }: Installation) {
  return async () => totalOf(await metrics('webhook-dispatcher'), 'pts_delivery_attempts_total');
}
