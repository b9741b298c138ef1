import { createHash } from 'node:crypto';
import { callbackSalt, callbackToken } from '@pts/core/tracking/callback-secrets';
import { eventually } from '@pts/testing/eventually';
import { type Receiver, startReceiver } from '@pts/testing/receiver';
import { redisUrlOn, stores } from '@pts/testing/stores';
import { merchantOf } from '../support/merchant.ts';
import { distinct, readPush } from '../support/pushes.ts';
import { type Service, startOwnService } from '../support/service.ts';

const SECRET = 'the callback secret of this test, 32+ characters';

type Explanation = {
  watch: { mode: string };
  last_answer: { scans: number } | null;
  callbacks?: { state: string; message: string; last_callback_at: string | null };
};

describe.each(stores())("a provider's callbacks on %s", (store) => {
  let service: Service;
  let close: () => Promise<void>;
  let receiver: Receiver;
  let webhookSecret: string;

  beforeAll(async () => {
    ({ service, close } = await startOwnService('callbacks', redisUrlOn(store), {
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

  test('a parcel whose news is pushed says so', async () => {
    // It never arrives: it is still pushed, however late a busy machine looks.
    const { id } = await merchantOf(service).register('SBXEXCEPTION9104', { courier_code: 'yto' });
    const callbacks = { state: 'pushing', last_callback_at: expect.any(String) };
    await eventually(async () => expect(await explain(id)).toMatchObject({ watch: { mode: 'pushed' }, callbacks }));
  });

  const callback = () => `${service.ready.base_url}/callbacks/kuaidi100/${callbackToken(SECRET, 'kuaidi100')}`;

  function bodyOf(number: string, context: string, salt: string): URLSearchParams {
    const time = new Date(Date.now() + 8 * 3_600_000 + 1000).toISOString().slice(0, 19).replace('T', ' ');
    const data = [{ time, ftime: time, context, statusCode: '1002' }];
    const lastResult = { message: 'ok', nu: number, com: 'yuantong', status: '200', state: '0', data };
    const param = JSON.stringify({ status: 'polling', message: '', lastResult });
    const sign = createHash('md5').update(`${param}${salt}`).digest('hex');
    return new URLSearchParams({ param, sign });
  }
  const isReceived = (text: string) => receiver.requests.some(({ rawBody }) => rawBody.includes(text));

  test('a forged callback is refused, and a genuine one reaches the receiver at once', async () => {
    const number = 'SBXNOTFOUND9102';
    await merchantOf(service).register(number, { courier_code: 'yto' });
    const forged = await fetch(callback(), { method: 'POST', body: bodyOf(number, 'forged scan', 'guessed') });
    expect(forged.status).toBe(401);
    const startedAt = performance.now();
    const body = bodyOf(number, 'genuine scan', callbackSalt(SECRET, 'kuaidi100'));
    const genuine = await fetch(callback(), { method: 'POST', body });
    expect(await genuine.text()).toBe('{"result":true,"returnCode":"200","message":"成功"}');
    await eventually(() => expect(isReceived('genuine scan')).toBe(true), { everyMs: 2 });
    process.stdout.write(
      `from the callback to the receiver (${store}): ${Math.round(performance.now() - startedAt)} ms\n`,
    );
    expect(isReceived('forged scan')).toBe(false);
  }, 60_000);

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
