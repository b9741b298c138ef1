import type { Db } from '@pts/db/connection/client';
import { createAccount } from '@pts/service/accounts/create';
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
export async function atRate(perSecond: number, seconds: number, work: (index: number) => unknown): Promise<void> {
  const total = Math.round(perSecond * seconds);
  const startedAt = performance.now();
  const begun: Promise<unknown>[] = [];
  const begin = async (index: number) => work(index);
  while (begun.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1000) * perSecond) + 1);
    while (begun.length < due) {
      const one = begin(begun.length);
      // A failure is reported at the end, by `Promise.all`.
      one.catch(() => {});
      begun.push(one);
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(20, 1000 / perSecond)));
  }
  await Promise.all(begun);
}
