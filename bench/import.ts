import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient } from '@pts/client/client';
import type { Store } from '@pts/queue/connection';
import { testDatabase } from '@pts/testing/database';
import { redisUrlOn } from '@pts/testing/stores';
import { newMerchant } from './http/accounts.ts';
import type { BenchOptions } from './options.ts';
import { type Figure, figure } from './parts/figure.ts';
import { openInstallation } from './parts/installation.ts';
import { newOthers, requestsOf, type Times } from './parts/others.ts';
import { percentile } from './parts/samples.ts';

const ROWS = 10_000;
const GOAL_SECONDS = 30;
/** The poller keeps no more of a file than a batch of its rows. */
const GOAL_MIB = 50;
const WINDOWS = 3;

/**
 * An import of 10,000 rows: the seconds from its upload to its end, the memory by which the poller grows, and the milliseconds that
 * create and get of twelve other accounts take meanwhile, against what they take before.
 */
export async function benchImport({ stores }: Pick<BenchOptions, 'stores'>): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const store of stores) figures.push(...(await importOn(store)));
  return figures;
}

async function importOn(store: Store): Promise<Figure[]> {
  const database = await testDatabase();
  const installation = await openInstallation({
    databaseUrl: database.url,
    redisUrl: redisUrlOn(store),
    apps: { 'sandbox-carrier': 1, api: 1, 'carrier-poller': 1 },
  });
  const { db, apiUrl, usage } = installation;
  const memory = () => usage()['carrier-poller']?.memoryBytes ?? 0;
  try {
    const others = await newOthers(db, apiUrl);
    const { apiKey } = await newMerchant(db);
    const client = createClient({ baseUrl: apiUrl, apiKey });
    await requestsOf(others, apiUrl);
    // What the first import loads and compiles is not its rows'.
    await finished(client, await upload(client, 'A', 200));
    const quiet: Times[] = [];
    for (let n = 0; n < WINDOWS; n++) quiet.push(await requestsOf(others, apiUrl));
    const before = memory();
    const peak = { bytes: before };
    const watch = setInterval(() => (peak.bytes = Math.max(peak.bytes, memory())), 250);
    const startedAt = performance.now();
    const id = await upload(client, 'B', ROWS);
    const during: Times[] = [];
    const beside = (async () => {
      for (;;) {
        during.push(await requestsOf(others, apiUrl));
        if (await isFinished(client, id)) return;
      }
    })();
    await finished(client, id);
    const seconds = (performance.now() - startedAt) / 1000;
    clearInterval(watch);
    await beside;
    const p99 = (times: readonly Times[], kind: keyof Times) =>
      percentile(
        times.flatMap((each) => each[kind]),
        0.99,
      );
    return [
      figure(`import-${ROWS}`, seconds, GOAL_SECONDS, 's', store),
      figure('import-memory', (peak.bytes - before) / 2 ** 20, GOAL_MIB, 'MiB', store),
      ...(['create', 'get'] as const).map((kind) =>
        figure(`import-others-${kind}-p99`, p99(during, kind), p99(quiet, kind), 'ms', store),
      ),
    ];
  } finally {
    await installation.close();
    await database.close();
  }
}

async function upload(client: Client, run: string, rows: number): Promise<string> {
  const lines = Array.from({ length: rows }, (_, n) => `PTS${run}${String(n).padStart(9, '0')},A-${n},Parcel ${n}`);
  const { id } = await client.imports.start({ content: ['tracking_number,order_id,title', ...lines].join('\n') });
  return id;
}

async function isFinished(client: Client, id: string): Promise<boolean> {
  const found = await client.imports.one(id);
  if (found.state === 'failed') throw new Error(`the import has failed: ${JSON.stringify(found)}`);
  return found.state === 'done';
}

async function finished(client: Client, id: string): Promise<void> {
  while (!(await isFinished(client, id))) await delay(100);
}
