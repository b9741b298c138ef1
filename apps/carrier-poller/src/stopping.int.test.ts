import { sandboxClient } from '@pts/carriers/providers/sandbox/index';
import { startServer, stopServers } from '@pts/carriers/testing/local-server';
import { testProvider } from '@pts/carriers/testing/provider';
import { eventually } from '@pts/testing/eventually';
import { freshNumber } from '@pts/testing/factories';
import { query } from './check/query.ts';
import { startPoller } from './poller.ts';
import { openPollerTest, type PollerTest, scriptedProvider } from './testing/test-poller.ts';

const NEVER_MS = 3_600_000;
const stuck = () => new Promise<never>(() => {});

let world: PollerTest;
afterEach(async () => {
  await stopServers();
  await world.close();
});

describe('with a queue', () => {
  beforeEach(async () => {
    world = await openPollerTest('redis');
  });

  const start = (provider: ReturnType<typeof testProvider>, callGraceMs: number) =>
    startPoller({
      queue: world.queue,
      providers: [provider],
      depsFor: world.depsFor,
      sweepIntervalMs: 50,
      callGraceMs,
    });

  test('a stopping poller aborts the call to a carrier that does not answer; the parcel becomes due again', async () => {
    let requested = 0;
    let hungUp = 0;
    const baseUrl = await startServer((_request, response) => {
      requested += 1;
      response.once('close', () => {
        hungUp += 1;
      });
    });
    const client = sandboxClient({ baseUrl, batchSize: 40, timeoutMs: NEVER_MS });
    const provider = { ...testProvider('sandbox', { SANDBOX_URL: baseUrl }), ...client };
    const id = await world.watch(await world.account(), freshNumber(), { provider: 'sandbox' });
    const poller = start(provider, 0);
    await eventually(() => expect(requested).toBe(1));
    await poller.stop();
    await eventually(() => expect(hungUp).toBe(1));
    expect(await world.check(id)).toMatchObject({ nextCheckAt: world.clock.now(), failure: null });
    expect(await world.db.providerPause.count()).toBe(0);
  });
});

describe('an aborted call', () => {
  beforeEach(async () => {
    world = await openPollerTest();
  });

  async function endedCall(limits: { floorSeconds: number }) {
    const process = new AbortController();
    const carrier = scriptedProvider(stuck, { name: 'stuck', ...limits });
    const id = await world.watch(await world.account(), freshNumber(), { provider: 'stuck' });
    const asking = query(world.depsFor(carrier, { stopCalls: process.signal }), await world.parcels(id));
    await eventually(() => expect(carrier.calls).toHaveLength(1));
    process.abort();
    await asking;
    return { id, carrier, stopCalls: process.signal };
  }
  const secondsUntilDue = async (id: string) =>
    ((await world.check(id))?.nextCheckAt.getTime() ?? 0) / 1000 - world.clock.now().getTime() / 1000;

  test('may have reached the provider, so its floor applies', async () => {
    const { id } = await endedCall({ floorSeconds: 1800 });
    expect(await secondsUntilDue(id)).toBe(1800);
  });

  test('is not followed by another: queued checks become due at once, for another process', async () => {
    const { carrier, stopCalls } = await endedCall({ floorSeconds: 1800 });
    const id = await world.watch(await world.account(), freshNumber(), { provider: 'stuck' });
    await query(world.depsFor(carrier, { stopCalls }), await world.parcels(id));
    expect(carrier.calls).toHaveLength(1);
    expect(await secondsUntilDue(id)).toBe(0);
  });
});
