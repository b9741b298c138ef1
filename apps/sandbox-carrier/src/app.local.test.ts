import type { Server } from 'node:http';
import { createSandboxApp, type SandboxDeps } from './app.ts';
import { rememberInMemory } from './first-requests.ts';
import { listen, stop, urlOf } from './http.ts';
import { kuaidi100Sign } from './kuaidi100.ts';
import { STORY_NAMES } from './stories.ts';

const START = new Date('2026-03-01T15:59:58.000Z');
const ACCOUNT = { customer: 'sandbox-customer', key: 'sandbox-key' };
let now = START;
const waits: number[] = [];
let server: Server;

const deps = (): SandboxDeps => ({
  speed: 1,
  now: () => now,
  state: rememberInMemory(),
  kuaidi100: ACCOUNT,
  wait: async (ms) => void waits.push(ms),
});

beforeEach(async () => {
  now = START;
  waits.length = 0;
  server = await listen(createSandboxApp(deps()), '127.0.0.1', 0);
});
afterEach(() => stop(server, 0));

const pass = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1000);
};

const post = (path: string, body: string, type = 'application/json') =>
  fetch(urlOf(server) + path, { method: 'POST', body, headers: { 'content-type': type } });

type Scan = { time: string; location: string; description: string; status: string };
type Result = { number: string; found?: boolean; scans?: Scan[]; error?: { code: string } };
type Kuaidi100Body = { returnCode?: string; status?: string; data: Record<string, string>[] };

async function trackAll(...numbers: { number: string; phone?: string }[]) {
  const res = await post('/track', JSON.stringify({ numbers: numbers.map((item) => ({ carrier: 'any', ...item })) }));
  expect(res.status).toBe(200);
  return ((await res.json()) as { results: Result[] }).results;
}
const trackOne = async (number: string, phone?: string) =>
  (await trackAll({ number, ...(phone !== undefined && { phone }) }))[0] ?? { number };

function queryRaw(fields: Record<string, string>) {
  return post('/kuaidi100/poll/query.do', new URLSearchParams(fields).toString(), 'application/x-www-form-urlencoded');
}
function query(num: string, more: Record<string, string> = {}) {
  const param = JSON.stringify({ com: 'yuantong', num, resultv2: '4', ...more });
  return queryRaw({ customer: ACCOUNT.customer, param, sign: kuaidi100Sign(param, ACCOUNT) });
}
const queryJson = async (num: string, more?: Record<string, string>) =>
  (await (await query(num, more)).json()) as Kuaidi100Body;

describe('POST /track', () => {
  test('answers each number in the order asked', async () => {
    const results = await trackAll({ number: 'SBXNOTFOUND1' }, { number: 'YT0000000000001' }, { number: 'SBXERROR1' });
    expect(results).toEqual([
      { number: 'SBXNOTFOUND1', found: false },
      {
        number: 'YT0000000000001',
        found: true,
        scans: [
          {
            time: '2026-03-01T15:59:58Z',
            location: expect.any(String),
            description: expect.any(String),
            status: 'info_received',
          },
        ],
      },
      { number: 'SBXERROR1', error: { code: 'transient', message: expect.any(String) } },
    ]);
  });

  test('a journey starts with the first query and continues from there', async () => {
    pass(100);
    await trackOne('SBXEXPRESS1');
    pass(20);
    const { scans = [] } = await trackOne('SBXEXPRESS1');
    expect(scans.map((scan) => scan.status)).toEqual(['in_transit', 'in_transit', 'out_for_delivery', 'delivered']);
    expect(scans[0]?.time).toBe('2026-03-01T16:01:38Z');
  });

  test.each([
    ['SBXINVALID1', { code: 'invalid_number' }],
    ['SBXGARBAGE1', { code: 'unreadable' }],
    ['SBXLIMIT1', { code: 'rate_limited', retry_after_seconds: 10 }],
  ])('%s is a separate error', async (number, error) => {
    expect(await trackOne(number)).toMatchObject({ number, error });
  });

  test('a number that requires a phone number answers only with its last digits', async () => {
    expect(await trackOne('SBXPHONE1')).toMatchObject({ error: { code: 'needs_input' } });
    expect(await trackOne('SBXPHONE1', '12')).toMatchObject({ error: { code: 'needs_input' } });
    expect(await trackOne('SBXPHONE1', '1234')).toMatchObject({ found: true });
    expect(await trackOne('SBXPHONE1', '+86 138 0000 1234')).toMatchObject({ found: true });
  });

  test('a flaky number fails every other query, each number separately', async () => {
    const kinds = [];
    for (let i = 0; i < 4; i++) kinds.push('error' in (await trackOne('SBXFLAKY1')));
    expect(kinds).toEqual([true, false, true, false]);
    expect(await trackOne('SBXFLAKY2')).toHaveProperty('error');
  });

  test('the slowest number delays the call', async () => {
    await trackAll({ number: 'SBXORDINARY1' });
    expect(waits).toEqual([]);
    await trackAll({ number: 'SBXSLOW1' }, { number: 'SBXORDINARY1' });
    await trackAll({ number: 'SBXSLOW1' }, { number: 'SBXTIMEOUT1' });
    expect(waits).toEqual([5_000, 60_000]);
  });

  test('speed shortens the slow answer, but not the one meant to outlast a timeout', async () => {
    await stop(server, 0);
    server = await listen(createSandboxApp({ ...deps(), speed: 10 }), '127.0.0.1', 0);
    await trackOne('SBXSLOW1');
    await trackOne('SBXTIMEOUT1');
    expect(waits).toEqual([500, 60_000]);
  });

  test('accepts 40 numbers', async () => {
    const numbers = Array.from({ length: 40 }, (_, i) => ({ number: `SBXEXPRESS${i}` }));
    expect(await trackAll(...numbers)).toHaveLength(40);
  });

  test.each([
    ['no JSON', 'numbers=1'],
    ['no numbers', '{}'],
    ['null', 'null'],
    ['an empty list', '{"numbers":[]}'],
    ['41 numbers', JSON.stringify({ numbers: Array(41).fill({ number: 'A' }) })],
    ['a bare string', '{"numbers":["A"]}'],
    ['an empty number', '{"numbers":[{"number":""}]}'],
    ['an endless number', JSON.stringify({ numbers: [{ number: 'A'.repeat(101) }] })],
    ['a phone that is not a string', '{"numbers":[{"number":"A","phone":1234}]}'],
  ])('refuses %s with 400 and a JSON error', async (_what, body) => {
    const res = await post('/track', body);
    expect(res.status).toBe(400);
    expect(await res.json()).toEqual({ error: { code: 'bad_request', message: expect.any(String) } });
  });
});

describe('POST /kuaidi100/poll/query.do', () => {
  test('answers newest first, in Chinese, in naive Shanghai time', async () => {
    await query('YT0000000000001');
    pass(5);
    const body = await queryJson('YT0000000000001');
    expect(body).toMatchObject({
      message: 'ok',
      nu: 'YT0000000000001',
      com: 'yuantong',
      status: '200',
      ischeck: '0',
      state: '103',
    });
    expect(body.data.map((scan) => scan.time)).toEqual(['2026-03-02 00:00:02', '2026-03-01 23:59:58']);
    expect(body.data[1]).toEqual({
      time: '2026-03-01 23:59:58',
      ftime: '2026-03-01 23:59:58',
      context: expect.stringMatching(/\p{Script=Han}/u),
      location: expect.stringMatching(/\p{Script=Han}/u),
      statusCode: '101',
      status: '已下单',
      areaCode: expect.stringMatching(/^CN99\d{10}$/),
      areaName: expect.stringMatching(/\p{Script=Han}/u),
    });
  });

  test.each([
    ['SBXORDINARY1', '301', '1'],
    ['SBXEXCEPTION1', '2', '0'],
    ['SBXUNDELIVERABLE1', '206', '0'],
    ['SBXRETURNED1', '4', '0'],
    ['SBXDELIVEREDRETURNED1', '4', '0'],
  ])('%s ends with state %s', async (number, state, ischeck) => {
    await query(number);
    pass(60);
    expect(await queryJson(number)).toMatchObject({ status: '200', state, ischeck });
  });

  test('a parcel in a locker is state 501', async () => {
    await query('SBXPICKUP1');
    pass(30);
    expect(await queryJson('SBXPICKUP1')).toMatchObject({ state: '501', ischeck: '0' });
  });

  test.each([
    ['SBXERROR1', '502'],
    ['SBXLIMIT1', '504'],
    ['SBXINVALID1', '400'],
    ['SBXPHONE1', '408'],
    ['SBXFLAKY1', '502'],
  ])('%s is refused with returnCode %s', async (number, returnCode) => {
    expect(await queryJson(number)).toEqual({ result: false, returnCode, message: expect.any(String) });
  });

  test('the last digits of the phone number give access to a number that requires them', async () => {
    expect(await queryJson('SBXPHONE1', { phone: '1234' })).toMatchObject({ status: '200' });
  });

  test('not found occurs in both forms, always the same for one number', async () => {
    const formOf = async (number: string) => {
      const { returnCode, status } = await queryJson(number);
      return returnCode ?? status;
    };
    const forms = new Set<unknown>();
    for (let i = 0; i < 12; i++) {
      const form = await formOf(`SBXNOTFOUND${i}`);
      expect(await formOf(`SBXNOTFOUND${i}`)).toBe(form);
      forms.add(form);
    }
    expect([...forms].sort()).toEqual(['201', '500']);
  });

  test('garbage is a page of HTML with status 200', async () => {
    const res = await query('SBXGARBAGE1');
    expect(res.status).toBe(200);
    expect(res.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await res.text()).toMatch(/^<!doctype html>/);
  });

  test.each([
    ['the sign', { sign: '0'.repeat(32) }],
    ['the customer', { customer: 'someone-else' }],
  ])('refuses with 503 when %s is wrong', async (_what, wrong) => {
    const param = '{"com":"yuantong","num":"YT0000000000001"}';
    const fields = { customer: ACCOUNT.customer, param, sign: kuaidi100Sign(param, ACCOUNT), ...wrong };
    expect(await (await queryRaw(fields)).json()).toMatchObject({ result: false, returnCode: '503' });
  });

  test('signs as documented: upper case MD5 of param, key and customer', () => {
    expect(kuaidi100Sign('a', { key: 'b', customer: 'c' })).toBe('900150983CD24FB0D6963F7D28E17F72');
  });

  test.each(['', 'no json', '[]', '{"com":"yuantong"}', '{"num":"YT0000000000001"}'])(
    'refuses param %j with 400',
    async (param) => {
      const fields = { customer: ACCOUNT.customer, param, sign: kuaidi100Sign(param, ACCOUNT) };
      expect(await (await queryRaw(fields)).json()).toMatchObject({ result: false, returnCode: '400' });
    },
  );
});

describe('the pages', () => {
  test('GET /healthz is 200', async () => {
    expect((await fetch(`${urlOf(server)}/healthz`)).status).toBe(200);
  });

  test('GET / and GET /stories list every story', async () => {
    const text = await (await fetch(urlOf(server))).text();
    const list = await (await fetch(`${urlOf(server)}/stories`)).json();
    const { speed, stories } = list as { speed: number; stories: { example: string }[] };
    expect(speed).toBe(1);
    expect(stories).toHaveLength(STORY_NAMES.length);
    for (const { example } of stories) expect(text).toContain(example);
  });

  test('any other path is a JSON 404', async () => {
    const res = await fetch(`${urlOf(server)}/nothing`);
    expect(res.status).toBe(404);
    expect(await res.json()).toMatchObject({ error: { code: 'not_found' } });
  });
});

describe('POST /kuaidi100/poll', () => {
  const poll = async (param: object, fields: Record<string, string> = { schema: 'json' }) => {
    const body = new URLSearchParams({ ...fields, param: JSON.stringify(param) }).toString();
    const res = await post('/kuaidi100/poll', body, 'application/x-www-form-urlencoded');
    expect(res.status).toBe(200);
    return ((await res.json()) as { returnCode: string }).returnCode;
  };
  const parameters = { callbackurl: 'https://api.example/callbacks', salt: 's' };
  const good = { company: 'yuantong', number: 'SBXORDINARY5', key: ACCOUNT.key, parameters };

  test('subscribes once', async () => {
    expect(await poll(good)).toBe('200');
    expect(await poll(good)).toBe('501');
  });

  test.each([
    ['another key', { ...good, key: 'guessed' }, '600'],
    ['no company', { ...good, company: '' }, '700'],
    ['no number', { ...good, number: '' }, '700'],
    ['no address', { ...good, parameters: { salt: 's' } }, '700'],
    ['an address that is not a URL', { ...good, parameters: { callbackurl: 'callbacks' } }, '700'],
    ['an address of another kind', { ...good, parameters: { callbackurl: 'file:///etc/passwd' } }, '700'],
  ])('refuses %s', async (_what, param, code) => {
    expect(await poll(param)).toBe(code);
  });

  test('refuses a form of another schema', async () => {
    expect(await poll(good, { schema: 'xml' })).toBe('600');
  });
});
