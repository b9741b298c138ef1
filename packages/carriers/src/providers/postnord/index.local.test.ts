import { stopServers } from '../../testing/local-server.ts';
import { requestsOf } from '../../testing/requested.ts';

afterEach(stopServers);

test('a number is queried with the key in the URL, and the answer is in English', async () => {
  const env = (url: string) => ({ PROVIDER_URLS: `postnord=${url}`, POSTNORD_API_KEY: 'k&y' });
  const requested = await requestsOf('postnord', env, [{ number: '84901736402SE', carrier: 'postnord' }]);
  expect(requested).toMatchObject([
    { path: 'GET /rest/shipment/v7/trackandtrace/id/84901736402SE/public?apikey=k%26y&locale=en' },
  ]);
});
