import { startServer, stopServers } from '../../testing/local-server.ts';
import { testProvider } from '../../testing/provider.ts';
import { readLogin } from './index.ts';

afterEach(stopServers);

const ACCOUNT = { DPD_DELIS_ID: 'me', DPD_PASSWORD: 'a<b&c' };
const QUESTION = { number: '05471902836415', carrier: 'dpd' };
const TRACKED = '<trackingresult><shipmentInfo/></trackingresult>';
const REFUSED =
  '<Envelope><Body><Fault><detail><f><errorCode>DELICOM_ERR_AUTHENTICATION</errorCode></f></detail></Fault></Body></Envelope>';

/** A service that issues `t1`, `t2`, … and accepts only the newest unexpired one. */
async function service() {
  const state = { logins: 0, ended: 0, bodies: [] as string[] };
  const baseUrl = await startServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      state.bodies.push(body);
      if (request.url?.includes('LoginService')) {
        state.logins += 1;
        response.end(`<Envelope><Body><return><authToken>t${state.logins}</authToken></return></Body></Envelope>`);
      } else if (body.includes(`<authToken>t${state.logins}</authToken>`) && state.logins > state.ended) {
        response.end(TRACKED);
      } else response.writeHead(500).end(REFUSED);
    });
  });
  return { state, provider: testProvider('dpd', { ...ACCOUNT, PROVIDER_URLS: `dpd=${baseUrl}` }) };
}

test('a login serves all calls of the day', async () => {
  const { state, provider } = await service();
  await provider.ask([QUESTION]);
  await provider.ask([QUESTION]);
  expect(state.logins).toBe(1);
  expect(state.bodies[0]).toContain('<delisId>me</delisId><password>a&lt;b&amp;c</password>');
  expect(state.bodies[1]).toContain('<parcelLabelNumber>05471902836415</parcelLabelNumber>');
});

test('an expired token is replaced once, and the call is repeated', async () => {
  const { state, provider } = await service();
  await provider.ask([QUESTION]);
  state.ended = 1;
  expect(await provider.ask([QUESTION])).toEqual([{ kind: 'not_found' }]);
  expect(state.logins).toBe(2);
});

test('credentials whose tokens are refused are the failure auth, not a loop of logins', async () => {
  const { state, provider } = await service();
  state.ended = 99;
  expect(await provider.ask([QUESTION])).toMatchObject([{ failure: 'auth' }]);
  expect(state.logins).toBe(1);
});

describe('a login', () => {
  const login = (content: string, status = 200) =>
    readLogin(
      { kind: 'response', status, headers: {}, text: `<return>${content}</return>` },
      Date.parse('2031-02-01T20:00:00Z'),
    );

  test('lasts until the stated time, in the zone of DPD', () => {
    const token = '<authToken>abc</authToken><authTokenExpires>2031-02-02T03:00:00.00</authTokenExpires>';
    expect(login(token)).toEqual({ value: 'abc', expiresInSeconds: 6 * 3600 });
  });

  test('may have a token longer than the limit for texts', () => {
    const value = 'x'.repeat(2000);
    expect(login(`<authToken>${value}</authToken>`)).toMatchObject({ value });
  });

  test.each([
    ['<x/>', 200, 'transient'],
    ['<Fault><errorCode>LOGIN_8</errorCode></Fault>', 500, 'auth'],
    ['<Fault><errorCode>INVALID_USER</errorCode></Fault>', 500, 'auth'],
    ['<Fault><errorCode>DELICOM_ERR_TECHNICAL</errorCode></Fault>', 500, 'transient'],
  ])('%s with HTTP %i is %s', (content, status, failure) => {
    expect(login(content, status)).toMatchObject({ kind: 'failed', failure });
  });
});
