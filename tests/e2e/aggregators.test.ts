import { pushToken } from '@pts/core/tracking/push-secrets';
import { eventually } from '@pts/testing/eventually';
import { type Receiver, startReceiver } from '@pts/testing/receiver';
import { merchantOf } from '../support/merchant.ts';
import { distinct, readPush } from '../support/pushes.ts';
import { newDirectory, removeDirectory, type Service, startService } from '../support/service.ts';

const SECRET = 'the push secret of this test, 32+ characters';

type Explanation = { watch: { mode: string }; provider: string | null; push?: { state: string } };

describe('aggregators whose numbers are registered before they are read', () => {
  const dir = newDirectory();
  let service: Service;
  let receiver: Receiver;
  let webhookSecret: string;

  beforeAll(async () => {
    service = await startService(
      {
        CARRIERS: '17track,trackingmore,ship24',
        RATE_LIMITS: 'off',
        PUSH_SECRET: SECRET,
        // Longer than a journey: what arrives sooner was pushed.
        CHECK_INTERVAL_SECONDS: '600',
      },
      dir,
    );
    receiver = await startReceiver();
    webhookSecret = await merchantOf(service).subscribe(receiver.url);
  }, 120_000);

  afterAll(async () => {
    await receiver.close();
    await service.stop();
    removeDirectory(dir);
  }, 30_000);

  const eventsOf = (number: string) =>
    distinct(receiver.requests.map((request) => readPush(request, webhookSecret)))
      .filter(({ data }) => data.tracking_number === number)
      .map(({ event }) => event);

  const explain = async (id: string) =>
    (await merchantOf(service).call<Explanation>('GET', `/trackings/${id}/explain`)).data;

  // Carriers that only the first of the others serves.
  test.each([
    ['17track', 'usps'],
    ['trackingmore', 'tnt'],
    ['ship24', 'evri'],
  ])(
    '%s: register, read, push, webhook',
    async (provider, carrier) => {
      const number = `SBXEXPRESS92${provider.length}${carrier.length}`;
      const { id } = await merchantOf(service).register(number, { courier_code: carrier });
      await eventually(async () => expect((await explain(id)).watch.mode).toBe('pushed'), { deadlineMs: 30_000 });
      await eventually(() => expect(eventsOf(number)).toContain('tracking_delivered'), { deadlineMs: 60_000 });
    },
    100_000,
  );

  test('a forged push is refused', async () => {
    const url = `${service.ready.base_url}/callbacks/17track/${pushToken(SECRET, '17track')}`;
    const body = JSON.stringify({ event: 'TRACKING_STOPPED', data: { number: 'SBXEXPRESS9274', carrier: 21051 } });
    const forged = await fetch(url, { method: 'POST', body, headers: { sign: 'f'.repeat(64) } });
    expect(forged.status).toBe(401);
  });
});
