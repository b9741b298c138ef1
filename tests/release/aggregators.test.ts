import { callbackToken } from '@pts/core/tracking/subscription';
import { eventually } from '@pts/testing/eventually';
import { startReceiver } from '@pts/testing/http-server';
import { merchantOf } from '../support/merchant.ts';
import { readPush } from '../support/pushes.ts';
import { startOwnService } from '../support/service.ts';

const SECRET = 'the callback secret of this test, 32+ characters';

/** The service with aggregators that the sandbox plays, and a merchant with a receiver. */
async function open(aggregators: readonly string[]) {
  // The check interval is longer than a journey: news that arrives sooner came in a callback.
  const env = { RATE_LIMITS: 'off', CALLBACK_SECRET: SECRET, CHECK_INTERVAL_SECONDS: '600', SANDBOX_SPEED: '3' };
  const own = await startOwnService('aggregators', undefined, { ...env, CARRIERS: aggregators.join(',') });
  const { service } = own;
  const [merchant, receiver] = [merchantOf(service), await startReceiver()];
  const secret = await merchant.subscribe(receiver.url);
  const close = async () => {
    await receiver.close();
    await own.close();
  };
  return { service, merchant, close, pushes: () => receiver.requests.map((request) => readPush(request, secret)) };
}

// The callbacks of UPS only announce news.
describe('17TRACK and UPS', () => {
  const aggregators = Object.entries({ '17track': 'usps', ups: 'ups' });
  let world: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    world = await open(aggregators.map(([name]) => name));
  }, 120_000);
  afterAll(() => world.close(), 30_000);

  async function follow(name: string, carrier: string): Promise<void> {
    const number = `SBXEXPRESS92${name.length}${carrier.length}`;
    const { id } = await world.merchant.register(number, { courier_code: carrier });
    type Explanation = { callbacks?: { last_callback_at: string | null } };
    const explain = async () => (await world.merchant.call<Explanation>('GET', `/trackings/${id}/explain`)).data;
    // It stays when the parcel has arrived, which may be before anybody looks.
    const callbacks = { last_callback_at: expect.any(String) };
    await eventually(async () => expect(await explain()).toMatchObject({ callbacks }));
    const delivered = expect.objectContaining({
      event: 'tracking_delivered',
      data: expect.objectContaining({ tracking_number: number }),
    });
    await eventually(() => expect(world.pushes()).toContainEqual(delivered));
  }

  test('register, read, callback, webhook', async () => {
    await Promise.all(aggregators.map(([name, carrier]) => follow(name, carrier)));
  }, 100_000);

  test('a callback without a signature is refused', async () => {
    for (const [name] of aggregators) {
      const url = `${world.service.ready.base_url}/callbacks/${name}/${callbackToken(SECRET, name)}`;
      const forged = await fetch(url, { method: 'POST', body: '{}' });
      expect([name, forged.status]).toEqual([name, 401]);
    }
  });
});
