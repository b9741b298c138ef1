import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { callbackReceivers, knownProviders } from '@pts/carriers/providers/configured';
import { freshNumber, newTrackings, newWebhook } from '@pts/testing/factories';
import { startTestApi, type TestApi } from './testing/test-api.ts';

const ENV = { KUAIDI100_CUSTOMER: 'c', KUAIDI100_KEY: 'k' };
const SECRET = 'a secret of the installation, 32+ characters';
const [receiver] = callbackReceivers(ENV, SECRET);
const NOW = new Date('2031-05-04T00:00:00Z');
const ACCEPTED = '{"result":true,"returnCode":"200","message":"成功"}';

let api: TestApi;
const logged: string[] = [];
const answered: string[] = [];
const withEvents: string[] = [];
beforeAll(async () => {
  api = await startTestApi({
    callbackReceivers: callbackReceivers(ENV, SECRET),
    providers: knownProviders(ENV),
    signals: { publish: async (topic, ids) => void (topic === 'answered' ? answered : withEvents).push(...ids) },
    log: (line) => logged.push(line),
    now: () => NOW,
  });
});
afterAll(() => api.close());

const PATH = () => `/callbacks/kuaidi100/${receiver?.token}`;

function entry(day: number, context: string, statusCode: string) {
  const time = `2031-05-0${day} 09:10:00`;
  return { time, ftime: time, context, statusCode };
}
const COLLECTED = entry(1, '【柏州】已揽收', '103');
const MOVED = entry(2, '包裹离开【柏州】', '1002');
const SIGNED = entry(3, '已签收，签收人：本人', '301');

function contentOf(nu: string, data: object[], more: object = {}, state = '0') {
  return { status: 'polling', message: '', lastResult: { nu, com: 'yuantong', status: '200', state, data }, ...more };
}

function bodyOf(content: object, salt = receiver?.keys.salt ?? '') {
  const param = JSON.stringify(content);
  const sign = createHash('md5')
    .update(param + salt)
    .digest('hex');
  return new URLSearchParams({ param, sign: sign.toUpperCase() }).toString();
}

async function post(body: string, path = PATH()) {
  const response = await fetch(api.url + path, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

async function parcel(number = freshNumber()) {
  const { id: accountId, key } = await api.account();
  await newWebhook(api.db, accountId, NOW);
  const [id = ''] = await newTrackings(api.db, accountId, [number], NOW, { provider: 'kuaidi100' });
  const read = async () =>
    (await api.call('GET', `/trackings/get?tracking_numbers=${number}`, { key })).body.data.success[0];
  const explain = async () => (await api.call('GET', `/trackings/${id}/explain`, { key })).body.data;
  const pending = () => api.db.delivery.count({ where: { accountId, state: 'owed' } });
  return { id, number, accountId, key, read, explain, pending };
}

test('a callback becomes the history, the status and the pending deliveries, and only then is it accepted', async () => {
  const { id, number, accountId, read, pending } = await parcel();
  const response = await post(bodyOf(contentOf(number, [MOVED, COLLECTED])));
  expect(response).toEqual({ status: 200, type: 'application/json; charset=utf-8', text: ACCEPTED });
  expect(await read()).toMatchObject({
    status: '查询中',
    sub_status: 'in_transit',
    watch: { mode: 'pushed', interval_seconds: 21_600 },
    events: [{ time: '2031-05-01T01:10:00Z' }, { time: '2031-05-02T01:10:00Z' }],
  });
  expect(await pending()).toBe(1);
  expect(answered).toContain(id);
  expect(withEvents).toContain(accountId);
});

test('the same callback again is accepted and changes nothing', async () => {
  const { number, pending, read } = await parcel();
  const body = bodyOf(contentOf(number, [MOVED, COLLECTED]));
  await post(body);
  const before = await read();
  expect(await post(body)).toMatchObject({ status: 200, text: ACCEPTED });
  expect({ ...(await read()), next_check_at: null }).toEqual({ ...before, next_check_at: null });
  expect(await pending()).toBe(1);
});

test('every account that watches the number gets its own events', async () => {
  const first = await parcel();
  const second = await parcel(first.number);
  await post(bodyOf(contentOf(first.number, [SIGNED, MOVED, COLLECTED], { status: 'shutdown' }, '3')));
  for (const each of [first, second]) {
    expect(await each.read()).toMatchObject({ status: '已签收', watch: { mode: 'final_look' } });
    expect(await each.pending()).toBe(2);
  }
  expect(await api.db.subscription.count({ where: { trackingNumber: first.number } })).toBe(1);
});

describe('a callback is not stored', () => {
  test.each([
    ['signed with another salt', (content: object) => bodyOf(content, 'guessed'), 401],
    [
      'without a signature',
      (content: object) => new URLSearchParams({ param: JSON.stringify(content) }).toString(),
      401,
    ],
    ['changed after it was signed', (content: object) => bodyOf(content).replace('polling', 'pollinG'), 401],
    ['that is signed and cannot be read', () => bodyOf({ status: 'polling' }), 400],
    ['that is empty', () => '', 401],
  ])('%s', async (_what, body, status) => {
    const { number, read, pending } = await parcel();
    const response = await post(body(contentOf(number, [COLLECTED])));
    expect(response).toMatchObject({ status, type: 'text/plain; charset=utf-8' });
    expect(await read()).toMatchObject({ sub_status: 'pending', events: [], watch: { mode: 'polled' } });
    expect(await pending()).toBe(0);
    expect(await api.db.subscription.count({ where: { trackingNumber: number } })).toBe(0);
  });
});

test.each([
  ['another token', '/callbacks/kuaidi100/guessed'],
  ['the token of another provider', `/callbacks/sandbox/${receiver?.token}`],
  ['no token', '/callbacks/kuaidi100/'],
])('with %s the address is not found', async (_what, path) => {
  const { number } = await parcel();
  const refused = await post(bodyOf(contentOf(number, [COLLECTED])), path);
  expect(refused.status).toBe(404);
  expect(refused.text).toMatch(/http\S+\/docs\/errors\/404/);
  expect((await fetch(api.url + PATH())).status).toBe(404);
});

test('a network that guesses addresses is limited; a provider in it is not', async () => {
  const guessed = await startTestApi({
    callbackReceivers: callbackReceivers(ENV, SECRET),
    providers: knownProviders(ENV),
    authWindowSeconds: 3600,
  });
  const guess = () => fetch(`${guessed.url}/callbacks/kuaidi100/guessed`, { method: 'POST' });
  try {
    for (let n = 0; n < 30; n++) expect((await guess()).status).toBe(404);
    const limited = await guess();
    expect([limited.status, limited.headers.get('Retry-After')]).toEqual([429, '120']);
    expect(await limited.json()).toMatchObject({ code: 429, meta: 429, data: {} });
    // Wrong keys count together with wrong tokens.
    expect((await guessed.call('GET', '/account', { key: 'wrong' })).status).toBe(429);
    const { key } = await guessed.account();
    expect((await guessed.call('GET', '/account', { key })).status).toBe(200);
    const response = await fetch(guessed.url + PATH(), {
      method: 'POST',
      body: bodyOf(contentOf(freshNumber(), [COLLECTED])),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    expect([response.status, await response.text()]).toEqual([200, ACCEPTED]);
  } finally {
    await guessed.close();
  }
});

test('a body over a mebibyte is refused before it is read', async () => {
  const response = await post(`param=${'x'.repeat(1024 * 1024)}`);
  expect(response).toMatchObject({ status: 413, type: 'text/plain; charset=utf-8' });
});

test('a body that never ends is refused once it is over the limit', async () => {
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const request = httpRequest(api.url + PATH(), { method: 'POST' }, (response) => {
      resolve(response.statusCode);
      request.destroy();
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    request.write('x'.repeat(1024 * 1024 + 1));
  });
  expect(status).toBe(413);
});

test('a callback for a number that nobody watches is accepted', async () => {
  expect(await post(bodyOf(contentOf(freshNumber(), [COLLECTED])))).toMatchObject({ status: 200, text: ACCEPTED });
});

test('a number is found in any spelling of the provider', async () => {
  const { number, read } = await parcel();
  await post(bodyOf(contentOf(` ${number.toLowerCase()} `, [COLLECTED])));
  expect(await read()).toMatchObject({ sub_status: 'in_transit' });
});

test('explain says that it is pushed, by which provider, and when last', async () => {
  const { number, explain } = await parcel();
  await post(bodyOf(contentOf(number, [COLLECTED])));
  const { watch, callbacks, cadence } = await explain();
  expect(watch).toMatchObject({ mode: 'pushed', reason: 'pushed', message: callbacks.message });
  expect(callbacks).toMatchObject({ state: 'pushing', last_callback_at: expect.any(String), waiting_since: null });
  expect(callbacks.message).toMatch(/^Pushed by Kuaidi100 .*, with a safety-net check every 6 h\. Last push: 20.*Z\.$/);
  expect(cadence.interval_seconds).toBe(21_600);
});

test('explain says why a parcel is polled although it could be pushed', async () => {
  const { number, explain } = await parcel();
  await post(bodyOf(contentOf(number, [COLLECTED])));
  await post(bodyOf({ ...contentOf(number, []), status: 'abort', message: '3天查询无记录' }));
  const { watch, callbacks } = await explain();
  expect(watch).toMatchObject({ mode: 'polled' });
  expect(callbacks).toMatchObject({ state: 'wanted', message: expect.stringContaining('3天查询无记录') });
  expect(new Date(callbacks.retry_at).getTime() - NOW.getTime()).toBe(1_800_000);
});

test('the log has a line for each callback, and never the token', async () => {
  const { number } = await parcel();
  await post(bodyOf(contentOf(number, [COLLECTED])));
  await post('param=x', '/callbacks/kuaidi100/guessed-token');
  await post('param=x', '//callbacks/kuaidi100/guessed-token');
  const lines = logged.join('\n');
  expect(lines).toContain('"callback received"');
  expect(lines).toContain('"path":"/callbacks/kuaidi100/…"');
  expect(lines).not.toContain(receiver?.token);
  expect(lines).not.toContain('guessed-token');
});

test('a callback that cannot be stored gets a 5xx, so that the provider repeats it', async () => {
  const { number, read } = await parcel();
  const body = bodyOf(contentOf(number, [COLLECTED]));
  await api.db.$executeRaw`ALTER TABLE public.subscriptions RENAME TO subscriptions_away`;
  try {
    expect((await post(body)).status).toBe(500);
  } finally {
    await api.db.$executeRaw`ALTER TABLE public.subscriptions_away RENAME TO subscriptions`;
  }
  expect(await post(body)).toMatchObject({ status: 200, text: ACCEPTED });
  expect(await read()).toMatchObject({ sub_status: 'in_transit' });
});
