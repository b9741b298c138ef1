import { isSubStatus, overallStatus } from '@pts/core/tracking/status';
import type { App } from '@pts/testing/app-process';
import { queryOnce } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { startReceiver } from '@pts/testing/http-server';
import { endOf } from '../../../chaos/load/parcels.ts';
import type { startCollector } from '../../support/collector.ts';
import { newMerchant } from '../../support/merchant.ts';
import { linesOf, traceOf } from '../../support/one-parcel.ts';
import { distinct, readPush } from '../../support/pushes.ts';
import type { Service } from '../../support/service.ts';
import { tuning } from '../../support/tuning.ts';

/** A service with the settings of the stories, and where it sends its spans. */
export type MainJob = { service: Service; collector: Awaited<ReturnType<typeof startCollector>> };

/** Parcels move fast and are checked each second; the log and the spans tell all. */
export const MAIN_JOB_ENV = {
  RATE_LIMITS: 'off',
  SANDBOX_SPEED: '5',
  CHECK_INTERVAL_SECONDS: '1',
  CALLBACK_SAFETY_NET_SECONDS: '20',
  LOG_LEVEL: 'debug',
  LOG_FORMAT: 'json',
  ...tuning({ retryTimeScale: 0.01 }),
};

const WAY = ['查询中', '派送中', '已签收'];
/** What the status of a parcel was after each of its scans. */
const statusesAfter = (scans: readonly { status: string }[]) =>
  scans.map(({ status }) => (isSubStatus(status) ? overallStatus(status) : status));

/** Parcels of several stories at once, some of which end badly. */
const KILLED = ['ORDINARY', 'EXPRESS', 'RECOVERED', 'RETURNED', 'PICKUP', 'LATESCAN', 'CORRECTED', 'EXCEPTION'].flatMap(
  (story) => Array.from({ length: 5 }, (_, i) => `SBX${story}${3000 + i}`),
);

/** The whole job on one installation, each story for a merchant of its own. */
export function mainJobStories(at: () => MainJob): void {
  test('a parcel goes 查询中 → 派送中 → 已签收 with UTC events, and every change is pushed, signed', async () => {
    const merchant = await newMerchant(at().service);
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
    expect(await merchant.quotaUsed()).toBe(1);
    await receiver.close();
  });

  test('one parcel is followed by its id from the POST to the push: every line of the log, and every span', async () => {
    const { service, collector } = at();
    const merchant = await newMerchant(service);
    const receiver = await startReceiver({ respond: () => ({ status: receiver.requests.length === 1 ? 500 : 200 }) });
    await merchant.subscribe(receiver.url);
    const requestId = `follow-${service.ready.redis_url === null ? 'postgres' : 'redis'}`;
    const caller = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) };
    const created = await fetch(`${service.ready.base_url}/api/v1/trackings/create`, {
      method: 'POST',
      headers: {
        'X-API-Key': merchant.apiKey,
        'Content-Type': 'application/json',
        'X-Request-Id': requestId,
        traceparent: `00-${caller.traceId}-${caller.spanId}-01`,
      },
      body: JSON.stringify({ tracking_number: 'SBXORDINARY1002' }),
    });
    const { data } = (await created.json()) as { data: { id: string } };
    const pushes = await eventually(() => {
      const [first] = receiver.requests;
      const retried = receiver.requests.filter(
        ({ headers }) => headers['x-webhook-id'] === first?.headers['x-webhook-id'],
      );
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
  });

  test('kill -9 of every process in the middle of the work: all ends well, quota is exact, no event is missing', async () => {
    const { service } = at();
    const merchant = await newMerchant(service);
    const receiver = await startReceiver();
    const secret = await merchant.subscribe(receiver.url);
    await Promise.all(KILLED.map((number) => merchant.register(number)));
    // Twice while the parcels move: once early, and once when the fastest ones have arrived.
    await eventually(() => expect(receiver.requests.length).toBeGreaterThan(10));
    await kill(service);
    const events = () => receiver.requests.map(({ headers }) => headers['x-webhook-event']);
    await eventually(() => expect(events()).toContain('tracking_delivered'));
    await kill(service);

    await eventually(
      async () => {
        const trackings = await merchant.read(KILLED);
        expect(trackings.map((t) => [t.tracking_number, t.sub_status])).toEqual(KILLED.map((n) => [n, endOf(n)]));
      },
      { everyMs: 500 },
    );
    expect(await merchant.quotaUsed()).toBe(KILLED.length);
    // The ledger: of each parcel, the numbers of all events that were ever emitted, from 1 on, and of those that
    // arrived.
    const { rows } = await queryOnce<{ tracking_number: string; seq: number }>(
      service.ready.database_url,
      `SELECT tracking_number, seq FROM trackings WHERE account_id = '${merchant.accountId}'`,
    );
    const emitted = rows.flatMap(({ tracking_number, seq }) =>
      Array.from({ length: seq }, (_, n) => `${tracking_number} ${n + 1}`),
    );
    await eventually(
      () => {
        const pushes = distinct(receiver.requests.map((request) => readPush(request, secret)));
        const arrived = pushes.map(({ data }) => `${data.tracking_number} ${data.seq}`);
        expect(arrived.sort()).toEqual(emitted.sort());
      },
      { everyMs: 200 },
    );
    await receiver.close();
  });
}

async function kill(service: Service): Promise<void> {
  // One that was killed before may still have to be started again.
  for (const app of ['carrier-poller', 'webhook-dispatcher', 'api'] satisfies App[])
    await eventually(() => process.kill(service.pidOf(app), 'SIGKILL'));
}
