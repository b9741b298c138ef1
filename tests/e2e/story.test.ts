import { isSubStatus, overallStatus } from '@pts/core/tracking/status';
import { eventually } from '@pts/testing/eventually';
import { startReceiver } from '@pts/testing/receiver';
import { redisUrlOn, stores } from '@pts/testing/stores';
import { startCollector } from '../support/collector.ts';
import { merchantOf } from '../support/merchant.ts';
import { realNumbers } from '../support/numbers.ts';
import { linesOf, traceOf } from '../support/one-parcel.ts';
import { distinct, readPush } from '../support/pushes.ts';
import { type Service, startFastService } from '../support/service.ts';
import { tuning } from '../support/tuning.ts';

const WAY = ['查询中', '派送中', '已签收'];
/** What the status of a parcel was after each of its scans. */
const statusesAfter = (scans: readonly { status: string }[]) =>
  scans.map(({ status }) => (isSubStatus(status) ? overallStatus(status) : status));

describe.each(stores())('the main job on %s', (store) => {
  let service: Service;
  let close: () => Promise<void>;
  let collector: Awaited<ReturnType<typeof startCollector>>;
  beforeAll(async () => {
    collector = await startCollector();
    const logs = { LOG_LEVEL: 'debug', LOG_FORMAT: 'json', ...tuning({ retryTimeScale: 0.01 }) };
    ({ service, close } = await startFastService('story', redisUrlOn(store), { ...collector.env, ...logs }));
  }, 120_000);
  afterAll(async () => {
    await close();
    await collector.close();
  }, 30_000);

  test('a parcel goes 查询中 → 派送中 → 已签收 with UTC events, and every change is pushed, signed', async () => {
    const merchant = merchantOf(service);
    const receiver = await startReceiver();
    const secret = await merchant.subscribe(receiver.url);
    const number = 'SBXORDINARY1001';
    expect(await merchant.register(number)).toMatchObject({ status: '查询中', carrier: 'sandbox' });
    const seen: string[] = [];
    await eventually(
      async () => {
        const [tracking] = await merchant.read([number]);
        if (tracking && seen.at(-1) !== tracking.status) seen.push(tracking.status);
        expect(tracking?.status).toBe('已签收');
      },
      { everyMs: 100 },
    );
    // A busy machine may look only after two changes: it sees fewer, in this order.
    expect(WAY.filter((status) => seen.includes(status))).toEqual(seen);
    const [tracking] = await merchant.read([number]);
    const events = tracking?.events ?? [];
    expect([...new Set(statusesAfter(events))]).toEqual(WAY);
    for (const event of events) expect(event.time).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/);
    // A push that has to be repeated arrives after later ones.
    const pushes = await eventually(() => {
      const received = distinct(receiver.requests.map((request) => readPush(request, secret)));
      expect(received.map((push) => push.event)).toContain('tracking_delivered');
      expect(received.map((push) => push.data.seq).sort((a, b) => a - b)).toEqual(received.map((_, i) => i + 1));
      return received;
    });
    for (const { data } of pushes) expect(data.status).toBe(statusesAfter(data.events).at(-1));
    // A push is received a moment before its record is on disk.
    await eventually(async () => {
      const { data } = await merchant.call<{ items: { event: string }[] }>('GET', '/webhooks/deliveries');
      expect(data.items).toContainEqual(
        expect.objectContaining({ event: 'tracking_delivered', status_code: 200, attempt: 1, error: null }),
      );
    });
    await receiver.close();
  }, 90_000);

  test('numbers of every real format reach the state that their provider reports, and cost one unit each', async () => {
    const merchant = merchantOf(service);
    const numbers = realNumbers(100);
    const before = await merchant.quotaUsed();
    const created = await Promise.all(numbers.map(({ number }) => merchant.register(number, { phone: '5678' })));
    expect(created.map((tracking) => tracking.carrier)).toEqual(numbers.map(({ carrier }) => carrier));
    await eventually(
      async () => {
        const trackings = await merchant.read(numbers.map(({ number }) => number));
        expect(trackings.filter((tracking) => tracking.status !== '已签收')).toEqual([]);
        expect(trackings).toHaveLength(numbers.length);
      },
      { everyMs: 500 },
    );
    expect(await merchant.quotaUsed()).toBe(before + numbers.length);
  }, 120_000);

  test('one parcel is followed by its id from the POST to the push: every line of the log, and every span', async () => {
    const merchant = merchantOf(service);
    // Other parcels of the account may have news, too.
    const number = 'SBXORDINARY1002';
    const own = () => receiver.requests.filter(({ rawBody }) => rawBody.includes(number));
    const receiver = await startReceiver({
      respond: ({ rawBody }) => ({ status: rawBody.includes(number) && own().length === 1 ? 500 : 200 }),
    });
    await merchant.subscribe(receiver.url);
    const requestId = `follow-${store}`;
    const caller = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) };
    const created = await fetch(`${service.ready.base_url}/api/v1/trackings/create`, {
      method: 'POST',
      headers: {
        'X-API-Key': service.ready.api_key,
        'Content-Type': 'application/json',
        'X-Request-Id': requestId,
        traceparent: `00-${caller.traceId}-${caller.spanId}-01`,
      },
      body: JSON.stringify({ tracking_number: number }),
    });
    const { data } = (await created.json()) as { data: { id: string } };
    const pushes = await eventually(() => {
      const [first] = own();
      const retried = own().filter(({ headers }) => headers['x-webhook-id'] === first?.headers['x-webhook-id']);
      expect(retried).toHaveLength(2);
      return retried;
    });
    await eventually(() => {
      const lines = linesOf(service.output(), data.id, requestId);
      expect(lines.map(({ app, msg }) => `${app}: ${msg}`)).toEqual(
        expect.arrayContaining([
          'api: request',
          'carrier-poller: queried',
          'carrier-poller: parcels changed',
          'webhook-dispatcher: not delivered',
          'webhook-dispatcher: delivered',
        ]),
      );
    });
    const trace = await eventually(() => traceOf(collector.spans, requestId, pushes));
    expect([trace.post.traceId === caller.traceId, trace.post.links]).toMatchObject([false, [caller]]);
    expect(trace.first).toMatchObject({ traceId: trace.save.traceId, parentSpanId: trace.save.spanId });
    expect(trace.second.traceId).not.toBe(trace.save.traceId);
    expect(trace.second.links).toMatchObject([{ traceId: trace.save.traceId, spanId: trace.save.spanId }]);
    expect([trace.first, trace.second].map(({ attributes }) => attributes['http.response.status_code'])).toEqual([
      500, 200,
    ]);
    // By OpenTelemetry's conventions.
    const server = new URL(service.ready.sandbox_url);
    expect(trace.ask.attributes).toMatchObject({ 'server.address': server.hostname });
    const [message] = pushes.map(({ headers }) => headers['x-webhook-id']);
    expect(trace.first.attributes).toMatchObject({
      ...{ 'messaging.operation.type': 'send', 'messaging.operation.name': 'push', 'messaging.message.id': message },
      'messaging.destination.name': expect.any(String),
    });
    expect(trace.send.attributes).toMatchObject({ 'messaging.destination.name': 'query-sandbox' });
    await receiver.close();
  }, 90_000);
});
