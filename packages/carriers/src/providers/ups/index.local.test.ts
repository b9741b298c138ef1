import { recordingServer, stopServers } from '../../testing/local-server.ts';
import { testProvider } from '../../testing/provider.ts';

afterEach(stopServers);

async function recorded(credential: string) {
  const body = { access_token: 'token', expires_in: '14399', validTrackingNumbers: ['1Z84W2R10351627480'] };
  const { baseUrl, requested } = await recordingServer({ body: JSON.stringify(body) });
  const env = { PROVIDER_URLS: `ups=${baseUrl}`, UPS_CLIENT_ID: 'id', UPS_CLIENT_SECRET: 'secret' };
  return { provider: testProvider('ups', { ...env, UPS_WEBHOOK_CREDENTIAL: credential }), requested };
}
const QUESTION = { number: '1Z84W2R10351627480', carrier: 'ups' };

test('numbers are subscribed to in one call, a hundred at most', async () => {
  const { provider, requested } = await recorded('a-credential');
  expect(provider.callbacks?.batchSize).toBe(100);
  expect(await provider.subscribe?.([QUESTION], null)).toEqual([{ kind: 'subscribed' }]);
  expect(requested.at(-1)).toMatchObject({ path: 'POST /api/track/v2/subscription/standard/package' });
  expect(JSON.parse(requested.at(-1)?.body ?? '')).toEqual({
    ...{ locale: 'en_US', countryCode: 'US', trackingNumberList: [QUESTION.number] },
  });
});

test('nothing is subscribed to without the credential that its callbacks are verified with', async () => {
  const { provider } = await recorded('');
  expect(provider.subscribe).toBeUndefined();
});

test('a subscription is renewed before its 14 days are over', async () => {
  const { provider } = await recorded('a-credential');
  expect(provider.callbacks?.renewSeconds).toBeLessThan(14 * 86_400);
});
