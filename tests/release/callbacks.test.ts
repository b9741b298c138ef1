import { eventually } from '@pts/testing/eventually';
import { type Receiver, startReceiver } from '@pts/testing/http-server';
import { merchantOf } from '../support/merchant.ts';
import { distinct, readPush } from '../support/pushes.ts';
import { type Service, startOwnService } from '../support/service.ts';

const SECRET = 'the callback secret of this test, 32+ characters';

type Explanation = {
  watch: { mode: string };
  callbacks?: { state: string; message: string; last_callback_at: string | null };
};

describe("a provider's callbacks", () => {
  let service: Service;
  let close: () => Promise<void>;
  let receiver: Receiver;
  let webhookSecret: string;

  beforeAll(async () => {
    ({ service, close } = await startOwnService('callbacks', undefined, {
      RATE_LIMITS: 'off',
      CALLBACK_SECRET: SECRET,
      // Longer than a journey: news that arrives sooner came in a callback.
      CHECK_INTERVAL_SECONDS: '600',
      CALLBACK_SAFETY_NET_SECONDS: '20',
    }));
    receiver = await startReceiver();
    webhookSecret = await merchantOf(service).subscribe(receiver.url);
  }, 120_000);

  afterAll(async () => {
    await receiver?.close();
    await close?.();
  }, 30_000);

  const pushesOf = (number: string) =>
    distinct(receiver.requests.map((request) => readPush(request, webhookSecret))).filter(
      ({ data }) => data.tracking_number === number,
    );

  const explain = async (id: string) =>
    (await merchantOf(service).call<Explanation>('GET', `/trackings/${id}/explain`)).data;

  test('register, subscribe, callback, webhook: the whole journey arrives without another check', async () => {
    const merchant = merchantOf(service);
    const number = 'SBXEXPRESS9101';
    const { id } = await merchant.register(number, { courier_code: 'yto' });
    const events = () => pushesOf(number).map(({ event }) => event);
    await eventually(() => expect(events()).toContain('tracking_delivered'));
    const callbacks = { last_callback_at: expect.any(String) };
    await eventually(async () => expect(await explain(id)).toMatchObject({ watch: { mode: 'final_look' }, callbacks }));
  }, 90_000);

  test('the safety net makes up for a lost callback', async () => {
    const number = 'SBXPUSHLOST9103';
    const { id } = await merchantOf(service).register(number, { courier_code: 'yto' });
    const callbacks = { state: 'awaited', message: expect.stringContaining('was not pushed') };
    await eventually(async () => expect(await explain(id)).toMatchObject({ watch: { mode: 'polled' }, callbacks }));
    // The fourth scan is later than the last callback, unless a busy machine sends the first one after it.
    const scans = () => pushesOf(number).map(({ data }) => data.events.length);
    await eventually(() => expect(Math.max(...scans())).toBeGreaterThan(3));
  }, 90_000);
});
