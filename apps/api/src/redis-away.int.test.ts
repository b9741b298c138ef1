import { queryQueue } from '@pts/queue/catalog';
import { openQueue } from '@pts/queue/connection';
import { StoreUnreachableError } from '@pts/queue/health/breaker';
import { createProducer } from '@pts/queue/producer';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { freshNumber } from '@pts/testing/factories';
import { startGate } from '@pts/testing/network-faults';
import { startTestApi } from './testing/test-api.ts';

/** How long a request waits for Redis here: long enough that a busy machine does not look like a hanging Redis. */
const PATIENCE_MS = 3000;

test('while Redis hangs, one request waits for it, and the limits hold', async () => {
  const database = await testDatabase();
  const gate = await startGate(process.env.TEST_REDIS_URL ?? '', 6379);
  const place = { redisUrl: gate.url, databaseUrl: database.url, prefix: `{hung-${process.pid}}` };
  const queue = await openQueue({ ...place, patienceMs: PATIENCE_MS, onError: () => {} });
  const limits = {
    limits: ['trackings.create=1000', 'account=3'],
    limitWindowSeconds: 3600,
    limitPatienceMs: PATIENCE_MS,
  };
  const lost: unknown[] = [];
  const producer = createProducer(queue, (error) => lost.push(error));
  const api = await startTestApi({ ...place, ...limits, queue, producer });
  try {
    const { key } = await api.account();
    const create = () => api.call('POST', '/trackings/create', { key, body: { tracking_number: freshNumber() } });
    expect((await create()).status).toBe(200);
    await eventually(async () => expect(await producer.waiting(queryQueue('sandbox'))).toBe(1));
    gate.set('mute');
    for (let n = 0; n < 5; n++) expect((await create()).status).toBe(200);
    // The count of the first request waited; no wake-up did.
    expect(lost).toEqual(Array(5).fill(expect.any(StoreUnreachableError)));
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++) statuses.push((await api.call('GET', '/account', { key })).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    gate.set('open');
    await eventually(() => expect(queue.breaker.isOpen()).toBe(false));
  } finally {
    await api.close();
    await producer.close();
    await queue.close();
    await gate.close();
    await database.close();
  }
}, 60_000);
