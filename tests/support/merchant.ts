import { createClient } from '@pts/client/client';
import type { Tracking } from '@pts/client/types';
import { openDatabase } from '@pts/db/connection';
import { createAccount } from '@pts/service/accounts';
import { PATIENT } from '@pts/testing/database';
import type { Service } from './service.ts';

type Envelope<T> = { code: number; meta: number; message: string; data: T };

/** A merchant of a running service: the client that merchants use, and the helpers of the stories. */
export function merchantOf({ ready }: { ready: Pick<Service['ready'], 'base_url' | 'api_key'> }) {
  // Without pacing or retries: requests are sent at once, and every refusal is visible.
  const client = createClient({ baseUrl: ready.base_url, apiKey: ready.api_key, pace: false, maxRetries: 0 });
  /** One request and its whole envelope, errors included: nothing is retried. */
  const call = async <T>(method: string, path: string, body?: object): Promise<Envelope<T>> => {
    const response = await fetch(`${ready.base_url}/api/v1${path}`, {
      method,
      headers: { 'X-API-Key': ready.api_key, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return (await response.json()) as Envelope<T>;
  };
  const read = async (numbers: readonly string[]): Promise<Tracking[]> => {
    const chunks = Array.from({ length: Math.ceil(numbers.length / 40) }, (_, i) =>
      numbers.slice(i * 40, (i + 1) * 40),
    );
    const answers = await Promise.all(chunks.map((chunk) => client.trackings.get(chunk)));
    return answers.flatMap(({ success }) => success);
  };
  return {
    client,
    call,
    read,
    register: (number: string, more: object = {}) => client.trackings.create({ tracking_number: number, ...more }),
    subscribe: async (url: string): Promise<string> => {
      const events = ['tracking_update', 'tracking_delivered', 'tracking_exception'] as const;
      return (await client.webhooks.register({ url, events: [...events] })).secret;
    },
    quotaUsed: async () => (await client.account.get()).quota_used,
  };
}

/** A merchant with an account of its own. */
export async function newMerchant({ ready }: { ready: Pick<Service['ready'], 'base_url' | 'database_url'> }) {
  const { key, accountId } = await newKey(ready.database_url);
  return { accountId, apiKey: key, ...merchantOf({ ready: { ...ready, api_key: key } }) };
}

/** The key of a new account, which the database gets without the API. */
export async function newKey(databaseUrl: string): Promise<{ key: string; accountId: string }> {
  const db = openDatabase({ url: databaseUrl, poolSize: 1, ...PATIENT });
  try {
    const { account, key } = await createAccount(
      { db, now: () => new Date() },
      { name: 'merchant', plan: 'enterprise' },
    );
    return { key: key.apiKey, accountId: account.id };
  } finally {
    await db.$disconnect();
  }
}
