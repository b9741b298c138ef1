import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '@pts/db/connection';
import { createAccount } from '@pts/service/accounts';
import { Agent, request } from 'undici';

export type Merchant = { accountId: string; apiKey: string };

/** A busy machine may be slow to accept a connection. */
const agent = new Agent({ connections: 64, connectTimeout: 60_000 });

/** A new account for a benchmark. */
export async function newMerchant(db: Db): Promise<Merchant> {
  const { account, key } = await createAccount({ db, now: () => new Date() }, { name: 'bench', plan: 'enterprise' });
  return { accountId: account.id, apiKey: key.apiKey };
}

/** Makes one request as the merchant. @throws if it is refused */
export async function call(apiUrl: string, { apiKey }: Merchant, path: string, body: object): Promise<void> {
  const { statusCode, body: answer } = await request(`${apiUrl}/api/v1${path}`, {
    method: 'POST',
    dispatcher: agent,
    headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (statusCode !== 200) throw new Error(`POST ${path} answers ${statusCode}: ${text}`);
}

/** Registers a receiver of all updates. */
export function registerReceiver(apiUrl: string, merchant: Merchant, url: string): Promise<void> {
  return call(apiUrl, merchant, '/webhooks', { url, events: ['tracking_update'] });
}

/** Starts `work` at a rate for `seconds`, without waiting for earlier runs. @returns when all have ended. */
export function atRate(perSecond: number, seconds: number, work: (index: number) => unknown): Promise<void> {
  const total = Math.round(perSecond * seconds);
  return atRateWhile(perSecond, (begun) => begun < total, work);
}

/**
 * Starts `work` at a rate, without waiting for earlier runs, until `isWanted`, which is given the number of runs so
 * far, says no. @returns when all have ended.
 */
export async function atRateWhile(
  perSecond: number,
  isWanted: (begun: number) => boolean,
  work: (index: number) => unknown,
): Promise<void> {
  const startedAt = performance.now();
  const running = new Set<Promise<unknown>>();
  const failures: unknown[] = [];
  const begin = async (index: number) => work(index);
  for (let begun = 0; isWanted(begun); await delay(Math.min(20, 1000 / perSecond))) {
    for (const due = ((performance.now() - startedAt) / 1000) * perSecond; begun <= due && isWanted(begun); begun++) {
      const one = begin(begun)
        .catch((error) => failures.push(error))
        .finally(() => running.delete(one));
      running.add(one);
    }
  }
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
}

/** A parcel with eight scans, like most parcels on their last day. */
export const EXAMPLE = {
  id: '0123456789abcdef01234567',
  trackingNumber: 'YT8000000000001',
  carrier: 'yto',
  status: '派送中' as const,
  subStatus: 'out_for_delivery' as const,
  scans: Array.from({ length: 8 }, (_, i) => ({
    time: `2026-01-02T03:04:0${i}Z`,
    timeRaw: '',
    zoneSource: 'default' as const,
    location: '晴川市转运中心',
    description: '快件已到达【晴川市转运中心】',
    status: 'in_transit' as const,
  })),
};
