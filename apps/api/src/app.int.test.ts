import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { revokeKeys, updateAccount } from '@pts/db/accounts/accounts';
import { resetKeys } from '@pts/service/accounts';
import { eventually } from '@pts/testing/eventually';
import { startTestApi, type TestApi } from './testing/test-api.ts';

let api: TestApi;
/** The clock for the cache of valid keys. */
let time = Date.now();
beforeAll(async () => {
  api = await startTestApi({ keyClock: () => time });
}, 60_000);
afterAll(() => api.close());

describe('authentication', () => {
  test('both headers are accepted, and X-API-Key takes precedence', async () => {
    const { key } = await api.account();
    expect((await api.call('GET', '/auth/me', { headers: { 'Tracking-Api-Key': key } })).status).toBe(200);
    const wrong = `tk_${'0'.repeat(48)}`;
    expect(
      (await api.call('GET', '/auth/me', { headers: { 'X-API-Key': wrong, 'Tracking-Api-Key': key } })).status,
    ).toBe(401);
  });

  test('a reset key and a disabled account are refused within a second', async () => {
    const [reset, disabled] = [await api.account(), await api.account()];
    for (const { key } of [reset, disabled]) expect((await api.call('GET', '/auth/me', { key })).status).toBe(200);
    await resetKeys({ db: api.db, now: () => new Date() }, reset);
    await updateAccount(api.db, disabled.id, { disabledAt: new Date() });
    time += 1000;
    for (const { key } of [reset, disabled]) expect((await api.call('GET', '/auth/me', { key })).status).toBe(401);
  });
});

test('a request whose key is revoked while its body arrives is refused', async () => {
  const { id, key } = await api.account();
  const body = JSON.stringify({ tracking_number: 'YT8962646785111' });
  const sent = httpRequest(`${api.url}/api/v1/trackings/create`, {
    method: 'POST',
    headers: {
      'X-API-Key': key,
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      Expect: '100-continue',
    },
  });
  sent.flushHeaders();
  // The service asks for the body once it has accepted the key.
  await once(sent, 'continue');
  await revokeKeys(api.db, id, new Date());
  time += 1000;
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.resume().statusCode).toBe(401);
  expect(await api.db.tracking.count({ where: { accountId: id } })).toBe(0);
});

describe('when a component of ours is unavailable', () => {
  test('without its queue it still registers', async () => {
    const lost = {
      query: async () => false,
      retrack: async () => false,
      subscribe: async () => false,
      deliver: async () => false,
      startRun: async () => false,
      waiting: async () => null,
      load: async () => null,
      close: async () => {},
    };
    const alone = await startTestApi({ producer: lost });
    const { id, key } = await alone.account();
    expect((await alone.call('POST', '/trackings/create', { key, body: { tracking_number: 'ALONE1' } })).status).toBe(
      200,
    );
    expect(await alone.db.check.count({ where: { accountId: id, nextCheckAt: { lte: new Date() } } })).toBe(1);
    await alone.close();
  });

  test('an unexpected error is an opaque 500', async () => {
    const faulty = await startTestApi({
      now: () => {
        throw new Error('SELECT secret FROM drawer');
      },
    });
    const { key } = await faulty.account();
    const { status, body } = await faulty.call('GET', '/account', { key });
    expect([status, body.code]).toEqual([500, 500]);
    expect(JSON.stringify(body)).not.toContain('drawer');
    await faulty.close();
  });
});

test('every request is logged, except the probes every few seconds', async () => {
  const paths: string[] = [];
  const log = (line: string) => {
    const { path } = JSON.parse(line) as { path?: string };
    if (path) paths.push(path);
  };
  const logged = await startTestApi({ log });
  const { key } = await logged.account();
  expect((await fetch(`${logged.url}/healthz`)).status).toBe(200);
  await logged.call('GET', '/account', { key });
  await eventually(() => expect(paths).toEqual(['/api/v1/account']));
  await logged.close();
});
