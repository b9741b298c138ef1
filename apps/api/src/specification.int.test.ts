import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scan } from '@pts/core/tracking/scan';
import type { ScanStatus } from '@pts/core/tracking/status';
import { saveAnswers } from '@pts/db/testing/save-answers';
import { NO_TRACE } from '@pts/egress/exchange';
import { startTestApi, type TestApi } from './testing/test-api.ts';

/**
 * What the specification's operations answer, and what pushes contain, for an account that uses nothing beyond the
 * specification: the recorded bytes. A change of this file breaks clients and receivers.
 */
const RECORDED = join(import.meta.dirname, 'testing/specification.recorded.txt');
const NOW = new Date('2031-04-05T06:00:00.000Z');
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };

/** A history with everything that optional fields are made from: places, zones, trouble, an attempt, a signature. */
// biome-ignore format: one scan per line is readable as a table
const HISTORY = [
  ['2031-04-01T02:00:00Z', '2031-04-01 10:00:00', 'location', '杭州市', '快件已揽收', 'in_transit'],
  ['2031-04-02T09:30:00Z', '2031-04-02T11:30:00+02:00', 'carrier', 'Köln, DE', 'Held by customs: documents missing', 'exception', { problem: 'customs' }],
  ['2031-04-03T06:00:00Z', '03.04.2031 08:00', 'default', 'Kiel', 'Out for delivery', 'out_for_delivery'],
  ['2031-04-03T09:00:00Z', '03.04.2031 11:00', 'default', 'Kiel', 'Delivery attempted: nobody home', 'exception', { problem: 'recipient_unavailable' }],
  ['2031-04-04T08:00:00Z', '04.04.2031 10:00', 'default', 'Kiel', 'Delivered to a neighbour, signed by: HOLT', 'delivered', { proof: { to: 'neighbor', signedBy: 'HOLT' } }],
] as const satisfies readonly (readonly [string, string, Scan['zoneSource'], string, string, ScanStatus, Partial<Scan>?])[];

/** The headers that differ with each push. */
const SIGNED = /signature|timestamp/i;

const pushes: { headers: Record<string, string>; body: string }[] = [];
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({
    now: () => NOW,
    send: async ({ headers, body }) => {
      pushes.push({ headers, body: String(body) });
      return { kind: 'answered', status: 204, durationMs: 7, excerpt: '', retryAfter: null, trace: NO_TRACE };
    },
  });
}, 60_000);
afterAll(() => api.close());

/** The carrier's answer with the first so many scans. */
async function answered(trackingId: string, count: number) {
  const scans = HISTORY.slice(0, count).map(([time, timeRaw, zoneSource, location, description, status, more]) => ({
    ...{ time, timeRaw, zoneSource, location, description, status },
    ...more,
  }));
  const answer = { kind: 'found' as const, scans };
  await saveAnswers(api.db, [{ trackingId, answer, fingerprint: String(count), finalLook: false }], CADENCE, NOW);
}

/** Without what differs from run to run: ids, keys, secrets, the port and the machine's clock. */
function steady(text: string): string {
  return text
    .replaceAll(api.url, 'http://api.example')
    .replaceAll(/\b[0-9a-f]{24}\b/g, '<id>')
    .replaceAll(/tk_[0-9a-f]{4}…[0-9a-f]{4}/g, '<hint>')
    .replaceAll(/whsec_[\w+/=]+/g, '<secret>')
    .replaceAll(/"response_ms":\d+/g, '"response_ms":<ms>')
    .replaceAll(/"next_check_at":"2031-04-05T06:[^"]*"/g, '"next_check_at":"<within the hour>"')
    .replaceAll(/"(?!2031)20\d\d-[^"]*Z"/g, '"<time>"');
}

test('answers and pushes of the specification are, byte for byte, as recorded', async () => {
  const { id: accountId, key } = await api.account();
  const lines: string[] = [];
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${api.url}/api/v1${path}`, {
      method,
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    // The list of carriers grows: one of them stands for all.
    const shown = path === '/couriers/all' ? (/\{"courier_code":"yto".*?\}/.exec(text)?.[0] ?? text) : text;
    lines.push(`${method} ${path}${body ? ` ${JSON.stringify(body)}` : ''}`, `${response.status} ${shown}`, '');
    return text;
  };
  const idOf = async (trackingNumber: string) =>
    (await api.db.tracking.findFirstOrThrow({ where: { accountId, trackingNumber } })).id;

  const given = { order_id: 'A-1001', title: 'Blue jacket', metadata: { shop: 'hangzhou' } };
  await call('POST', '/webhooks', {
    url: 'https://example.com/hook',
    events: ['tracking_update', 'tracking_delivered', 'tracking_exception'],
  });
  await call('POST', '/webhooks/test');
  await call('POST', '/trackings/create', { tracking_number: 'YT8962646785999' });
  await call('POST', '/trackings/create', {
    tracking_number: 'YT8962646786001',
    courier_code: 'yto',
    phone: '5678',
    ...given,
  });
  await call('POST', '/trackings/create', { tracking_number: 'YT8962646786003', dry_run: true });
  await call('POST', '/trackings/batch', [{ tracking_number: 'YT8962646786005' }, { tracking_number: 'no' }]);
  await call('POST', '/track/async', { tracking_numbers: ['YT8962646786007'] });
  for (const count of [1, 2, 3, 4, 5]) await answered(await idOf('YT8962646785999'), count);
  await answered(await idOf('YT8962646786001'), 2);
  await call('GET', '/trackings/get?tracking_numbers=YT8962646785999,YT8962646786001,YT8962646786005,YT1111111111111');
  await call('GET', '/trackings/get?tracking_numbers=YT8962646786001&lang=de');
  await call('GET', '/trackings/get?tracking_numbers=YT1111111111111');
  await call('GET', `/shipments?status=${encodeURIComponent('异常')}&limit=50`);
  await call('GET', `/shipments?status=${encodeURIComponent('已签收')}`);
  await call('POST', '/trackings/retrack', { tracking_number: 'YT8962646786001' });
  await call('POST', '/trackings/retrack', { tracking_number: 'YT8962646786001' });
  await call('POST', '/track/batch-stream', { tracking_numbers: ['YT8962646785999'] });
  await call('POST', '/carrier/detect', { tracking_number: 'YT8962646785999' });
  await call('GET', '/couriers/all');
  await call('GET', '/auth/me');
  await call('GET', '/account');
  await call('GET', '/webhooks/deliveries');
  for (const { headers, body } of pushes)
    lines.push(
      ...Object.entries(headers).map(([name, value]) => `push ${name}: ${SIGNED.test(name) ? '…' : value}`),
      body,
      '',
    );
  const messages = await api.db.message.findMany({ where: { accountId }, orderBy: [{ position: 'asc' }] });
  for (const { body } of messages) lines.push('push', body, '');

  const text = steady(lines.join('\n'));
  expect(text).toBe(readFileSync(RECORDED, 'utf8'));
}, 60_000);
