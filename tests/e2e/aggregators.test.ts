import { pushToken } from '@pts/core/tracking/push-secrets';
import { eventually } from '@pts/testing/eventually';
import { startReceiver } from '@pts/testing/receiver';
import { merchantOf } from '../support/merchant.ts';
import { readPush } from '../support/pushes.ts';
import { newDirectory, removeDirectory, startService } from '../support/service.ts';

const SECRET = 'the push secret of this test, 32+ characters';
const dir = newDirectory();

/** The service with aggregators that the sandbox plays, and a merchant with a receiver. */
async function open() {
  // Checks are rarer than a journey is long: what arrives sooner was pushed.
  const env = { RATE_LIMITS: 'off', PUSH_SECRET: SECRET, CHECK_INTERVAL_SECONDS: '600' };
  const service = await startService({ ...env, CARRIERS: '17track,trackingmore,ship24' }, dir);
  const [merchant, receiver] = [merchantOf(service), await startReceiver()];
  const secret = await merchant.subscribe(receiver.url);
  const close = async () => {
    await receiver.close();
    await service.stop();
    removeDirectory(dir);
  };
  return { service, merchant, close, pushes: () => receiver.requests.map((request) => readPush(request, secret)) };
}

let world: Awaited<ReturnType<typeof open>>;
beforeAll(async () => {
  world = await open();
}, 120_000);
afterAll(() => world.close(), 30_000);

// Carriers that none of the providers before serves.
test.each([
  ['17track', 'usps'],
  ['trackingmore', 'tnt'],
  ['ship24', 'evri'],
])(
  '%s: register, read, push, webhook',
  async (provider, carrier) => {
    const number = `SBXEXPRESS92${provider.length}${carrier.length}`;
    const { id } = await world.merchant.register(number, { courier_code: carrier });
    const explain = async () =>
      (await world.merchant.call<{ watch: { mode: string } }>('GET', `/trackings/${id}/explain`)).data;
    await eventually(async () => expect((await explain()).watch.mode).toBe('pushed'), { deadlineMs: 30_000 });
    const delivered = expect.objectContaining({
      event: 'tracking_delivered',
      data: expect.objectContaining({ tracking_number: number }),
    });
    await eventually(() => expect(world.pushes()).toContainEqual(delivered), { deadlineMs: 60_000 });
  },
  100_000,
);

test('a forged push is refused', async () => {
  const url = `${world.service.ready.base_url}/callbacks/17track/${pushToken(SECRET, '17track')}`;
  const body = JSON.stringify({ event: 'TRACKING_STOPPED', data: { number: 'SBXEXPRESS9274', carrier: 21051 } });
  const forged = await fetch(url, { method: 'POST', body, headers: { sign: 'f'.repeat(64) } });
  expect(forged.status).toBe(401);
});
