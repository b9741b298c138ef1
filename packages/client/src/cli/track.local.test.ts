import { serve } from '@pts/testing/http-server';
import { envelope } from '../testing/local-api.ts';
import { newUser } from './testing/pts.ts';

const EVENTS = [
  { time: '2031-04-05T04:00:00Z', location: '深圳', description: 'Collected', status: 'in_transit' },
  { time: '2031-04-05T05:00:00Z', location: '深圳', description: 'Signed by the recipient', status: 'delivered' },
];
const PARCEL = {
  ...{ id: 'p1', tracking_number: 'A12345', carrier: 'sandbox', status: '查询中', sub_status: 'in_transit' },
  ...{ seq: 1, events: EVENTS.slice(0, 1), next_check_at: null, watch: { mode: 'polled' } },
};
const ARRIVED = { ...PARCEL, status: '已签收', sub_status: 'delivered', seq: 2, events: EVENTS };

let user: ReturnType<typeof newUser>;
beforeEach(() => {
  user = newUser();
});
afterEach(() => user.close());

/** A service that knows the parcel, and streams these events. */
function fakeService(streamed: readonly object[], parcel = PARCEL) {
  return serve((request, response) => {
    const { url = '' } = request;
    if (url.startsWith('/api/v1/trackings/get')) return void response.end(envelope(200, { success: [parcel] }));
    if (url === '/api/v1/events?after=latest')
      return void response.end(envelope(200, { events: [], next_cursor: 'c0' }));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': hello\n\n');
    for (const [index, data] of streamed.entries()) {
      const event = { id: `m${index}`, event: 'tracking_update', created_at: '2031-04-05T06:00:00Z', data };
      response.write(`id: c${index + 1}\nevent: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`);
    }
  });
}

const envOf = (url: string) => ({ PTS_URL: url, PTS_API_KEY: `tk_${'0'.repeat(48)}` });

test('track --follow shows the news of its parcel alone, until it has arrived', async () => {
  const service = await fakeService([{ ...ARRIVED, id: 'p2', tracking_number: 'B12345' }, ARRIVED]);
  const { code, out, err } = await user.pts(['track', 'A12345', '--follow'], { env: envOf(service.url) });
  expect([code, err]).toEqual([0, expect.stringContaining('Waiting for updates')]);
  expect(out).toMatch(/^A12345 {2}sandbox {2}查询中 \(in_transit\)\n/);
  expect(out.match(/Collected/g)).toHaveLength(1);
  expect(out).toMatch(/Signed by the recipient {2}已签收 \(delivered\)/);
  expect(out).not.toContain('B12345');
  await service.close();
});

test.each([
  ['has arrived', ARRIVED, ''],
  [
    'is not polled any more',
    { ...PARCEL, watch: { mode: 'stopped' } },
    'Polling has stopped, so no updates are expected. To resume it, send POST /api/v1/trackings/retrack/p1.\n',
  ],
])('track --follow shows a parcel that %s, and does not wait', async (_what, parcel, said) => {
  const service = await fakeService([], parcel);
  const { code, out, err } = await user.pts(['track', 'A12345', '--follow'], { env: envOf(service.url) });
  expect([code, out, err]).toEqual([0, expect.stringMatching(/^A12345 /), said]);
  await service.close();
});

test.each([
  ['before the first query', null, 'No updates yet. The carrier has not been asked.'],
  [
    'after it',
    '2031-04-05T04:00:00Z',
    'No updates yet. Last checked at 2031-04-05T04:00:00Z, next check by 2031-04-05T04:05:00Z.',
  ],
])('a parcel without news says so: %s', async (_when, last_checked_at, said) => {
  const parcel = { ...PARCEL, events: [], last_checked_at, next_check_at: '2031-04-05T04:05:00Z' };
  const service = await serve((_request, response) => void response.end(envelope(200, { success: [parcel] })));
  const { code, out } = await user.pts(['track', 'A12345'], { env: envOf(service.url) });
  expect([code, out.split('\n')[1]]).toEqual([0, said]);
  await service.close();
});

test('Ctrl-C ends a wait for news with 130', async () => {
  const service = await fakeService([]);
  const leaving = new AbortController();
  const onOut = (all: string) => all.includes('id p1') && leaving.abort(new DOMException('SIGINT', 'AbortError'));
  const more = { env: envOf(service.url), signal: leaving.signal, onOut };
  expect(await user.pts(['track', 'A12345', '--follow'], more)).toMatchObject({ code: 130, err: expect.any(String) });
  await service.close();
});

test.each([
  ['a limit whose end is far', 429, 429, { 'retry-after': '120' }],
  ['a quota that is used up', 400, 4190, {}],
])('%s ends with 6', async (_what, status, number, headers) => {
  const service = await serve((_request, response) => {
    response.writeHead(status, headers).end(envelope(number));
  });
  const { code, err } = await user.pts(['track', 'A12345'], { env: envOf(service.url) });
  expect([code, err]).toEqual([6, expect.stringContaining(String(number))]);
  await service.close();
});
