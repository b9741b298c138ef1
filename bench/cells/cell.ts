import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { keyRefusal } from '@pts/db/migrate/installation';
import { freePort } from '@pts/embedded/free-port';
import { createKeyring } from '@pts/runtime/encryption/keyring';
import { queryOnce } from '@pts/testing/database';
import type { TestHaproxy } from '@pts/testing/servers/haproxy';
import { type Merchant, newMerchant } from '../http/accounts.ts';
import { type Installation, openInstallation } from '../parts/installation.ts';
import { type DurableServers, startDurableServers } from '../parts/servers.ts';

/** An installation with servers of its own, behind the address that it shares with others. */
export type Cell = {
  /** As the router's configuration calls it. */
  name: string;
  /** `host:port` of its API. */
  address: string;
  databaseUrl: string;
  /** What commands need to know. */
  env: Readonly<Record<string, string>>;
  /** What runs; another one after a restart. */
  readonly running: Installation;
  /** An account that was created in it. */
  merchant: Merchant;
  /** Kills its processes. */
  kill(): Promise<void>;
  /** Starts them again, at the same address. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

type Given = { name: string; publicUrl: string; carrierUrl: string; encryptionKey: string };

const APPS = { api: 1, 'carrier-poller': 1, 'webhook-dispatcher': 1 } as const;
const CHECK_SECONDS = 5;

export async function startCell(given: Given): Promise<Cell> {
  const servers = await startDurableServers();
  try {
    return await startOn(servers, given);
  } catch (error) {
    await servers.stop();
    throw error;
  }
}

async function startOn(servers: DurableServers, given: Given): Promise<Cell> {
  const { name, publicUrl, carrierUrl, encryptionKey } = given;
  const { url: databaseUrl } = await servers.newDatabase();
  const port = await freePort();
  const open = () =>
    openInstallation({
      ...{ databaseUrl, redisUrl: servers.redisUrl, apps: APPS, carrierUrl },
      env: {
        ENCRYPTION_KEY: encryptionKey,
        PORT: String(port),
        PUBLIC_BASE_URL: publicUrl,
        TRUST_PROXY: '1',
        CHECK_INTERVAL_SECONDS: String(CHECK_SECONDS),
        SANDBOX_CALLS_PER_SECOND: '1000',
        // Callbacks come to the cell that subscribed.
        CALLBACK_BASE_URL: `${publicUrl}/cells/${name}`,
        CALLBACK_SECRET: callbackSecretOf(name),
        PROVIDERS: 'sandbox,kuaidi100',
        KUAIDI100_CUSTOMER: 'customer',
        KUAIDI100_KEY: 'key',
      },
    });
  let running = await open();
  await keyRefusal(running.db, createKeyring([encryptionKey]));
  const merchant = await newMerchant(running.db);
  return {
    name,
    address: `127.0.0.1:${port}`,
    databaseUrl,
    env: { DATABASE_URL: databaseUrl, ENCRYPTION_KEY: encryptionKey },
    get running() {
      return running;
    },
    merchant,
    kill: () => running.close(),
    start: async () => {
      running = await open();
    },
    stop: async () => {
      await running.close();
      await servers.stop();
    },
  };
}

export const callbackSecretOf = (cell: string) => `the callback secret of the cell ${cell}, of a trial`;

export const digestOf = (apiKey: string) => createHash('sha256').update(apiKey).digest('hex');

/** The digests of the keys of an account and its test account, as the router's map has them. */
export async function keysOf(databaseUrl: string, accountId: string): Promise<string[]> {
  const { rows } = await queryOnce<{ digest: string }>(
    databaseUrl,
    `SELECT encode(key_hash, 'hex') AS digest FROM api_keys k JOIN accounts a ON a.id = k.account_id
     WHERE k.revoked_at IS NULL AND '${accountId}' IN (a.id, a.test_of)`,
  );
  return rows.map(({ digest }) => digest);
}

/** Tells the router where requests with these keys go. */
export async function setMap(router: TestHaproxy, keys: readonly string[], cell: string): Promise<void> {
  for (const key of keys) {
    const entry = `map ${router.mapFile} ${key} ${cell}`;
    const isThere = (await router.control(`set ${entry}`)).trim() === '';
    if (!isThere) assert.equal((await router.control(`add ${entry}`)).trim(), '');
  }
}
