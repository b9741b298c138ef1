import { startServer, stopServers } from '@pts/carriers/testing/local-server';
import { testProvider } from '@pts/carriers/testing/provider';
import { openQueue, type QueueConnection } from '@pts/queue/connection';
import { eventually } from '@pts/testing/eventually';
import { freshNumber } from '@pts/testing/factories';
import { paceOf } from './pace.ts';
import { type Poller, startPoller } from './poller.ts';
import { openPollerTest, type PollerTest } from './testing/test-poller.ts';

const CALLS_PER_SECOND = 4;
const PARCELS = 20;
/** Clocks of the database and of this process may drift apart by this much within one second. */
const TOLERANCE_MS = 100;

/** A carrier that records the time of every call; it answers the first two only once both have arrived. */
async function countingCarrier() {
  const calledAtMs: number[] = [];
  let release = () => {};
  const bothAreThere = new Promise<void>((resolve) => {
    release = resolve;
  });
  const baseUrl = await startServer(async (request, response) => {
    calledAtMs.push(performance.now());
    if (calledAtMs.length === 2) release();
    let body = '';
    for await (const chunk of request) body += String(chunk);
    await bothAreThere;
    const { numbers } = JSON.parse(body) as { numbers: { number: string }[] };
    response.end(JSON.stringify({ results: numbers.map(({ number }) => ({ number, found: false })) }));
  });
  return { baseUrl, calledAtMs };
}

describe('with a queue', () => {
  let world: PollerTest;
  const pollers: Poller[] = [];
  const queues: QueueConnection[] = [];
  beforeEach(async () => {
    world = await openPollerTest('redis');
  });
  afterEach(async () => {
    await Promise.all(pollers.splice(0).map((poller) => poller.stop()));
    await Promise.all(queues.splice(0).map((queue) => queue.close()));
    await stopServers();
    await world.close();
  });

  /** Like a separate process: with its own connection to the queue, and one call at a time. */
  async function startProcess(baseUrl: string) {
    const queue = await openQueue({ ...world.queue.options, onError: () => {} });
    queues.push(queue);
    const provider = testProvider('sandbox', { SANDBOX_URL: baseUrl });
    let calls = 0;
    const counted = {
      ...provider,
      limits: { ...provider.limits, batchSize: 1, concurrency: 1, callsPerSecond: CALLS_PER_SECOND },
      ask: (...args: Parameters<typeof provider.ask>) => {
        calls += 1;
        return provider.ask(...args);
      },
    };
    const more = { sweepIntervalMs: 50, callGraceMs: 0 };
    const options = world.optionsFor([counted], { pace: paceOf(counted, world.db) });
    pollers.push(startPoller({ ...options, queue, ...more }));
    return () => calls;
  }

  test('two pollers together make no more calls a second than the provider allows', async () => {
    const { baseUrl, calledAtMs } = await countingCarrier();
    const account = await world.account();
    for (let n = 0; n < PARCELS; n++) await world.watch(account, freshNumber(), { provider: 'sandbox' });
    const startedAtMs = performance.now();
    const callsOf = await Promise.all([startProcess(baseUrl), startProcess(baseUrl)]);
    await eventually(() => expect(calledAtMs).toHaveLength(PARCELS));
    for (const calls of callsOf) expect(calls()).toBeGreaterThan(0);
    // A slow machine makes calls later, never earlier: by the end of second n, at most the calls of n seconds.
    const early = calledAtMs.filter(
      (ms, i) => ms - startedAtMs + TOLERANCE_MS < 1000 * Math.floor(i / CALLS_PER_SECOND),
    );
    expect(early).toEqual([]);
  });
});
