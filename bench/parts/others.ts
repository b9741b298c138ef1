import { randomBytes } from 'node:crypto';
import type { Db } from '@pts/db/connection/client';
import { Pool } from 'undici';
import { atRate, call, type Merchant, newMerchant } from '../http/accounts.ts';

const OTHERS = 12;
/** Requests of each of the accounts. */
const PER_SECOND = 4;
const WINDOW_SECONDS = 12;
const KNOWN = 'PTS0000000001';
const CALLS = ['create', 'get', 'create', 'get', 'create'] as const;

export type Call = (typeof CALLS)[number];
/** Milliseconds of each request, by its call. */
export type Times = Record<Call, number[]>;

/** Accounts that do what merchants usually do, to see what another one does to them. */
export async function newOthers(db: Db, url: string): Promise<Merchant[]> {
  const others = await Promise.all(Array.from({ length: OTHERS }, () => newMerchant(db)));
  for (const other of others) await call(url, other, '/trackings/create', { tracking_number: KNOWN });
  return others;
}

/** Creates and reads of the accounts, at an even pace, however long the responses take. */
export async function requestsOf(accounts: readonly Merchant[], url: string): Promise<Times> {
  const pool = new Pool(url, { connections: 64, pipelining: 1 });
  const run = randomBytes(4).toString('hex').toUpperCase();
  const times: Times = { create: [], get: [] };
  await atRate(accounts.length * PER_SECOND, WINDOW_SECONDS, async (n) => {
    const { apiKey } = accounts[n % accounts.length] as Merchant;
    const kind = CALLS[Math.floor(n / accounts.length) % CALLS.length] as Call;
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const fresh = JSON.stringify({ tracking_number: `PTS${run}${String(n).padStart(6, '0')}` });
    const startedAt = performance.now();
    const { statusCode, body } = await (kind === 'get'
      ? pool.request({ method: 'GET', path: `/api/v1/trackings/get?tracking_numbers=${KNOWN}`, headers })
      : pool.request({ method: 'POST', path: '/api/v1/trackings/create', headers, body: fresh }));
    const text = await body.text();
    times[kind].push(performance.now() - startedAt);
    if (statusCode !== 200) throw new Error(`${kind} was answered ${statusCode}: ${text}`);
  });
  await pool.close();
  return times;
}
