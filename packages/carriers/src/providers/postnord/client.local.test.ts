import { requestsOf } from '../../testing/asked.ts';
import { stopServers } from '../../testing/local-server.ts';

afterEach(stopServers);

test('a number is queried with the key in the URL, and the answer is in English', async () => {
  const env = (url: string) => ({ POSTNORD_BASE_URL: url, POSTNORD_API_KEY: 'k&y' });
  const asked = await requestsOf('postnord', env, [{ number: '84901736402SE', carrier: 'postnord' }]);
  expect(asked).toMatchObject([
    { path: 'GET /rest/shipment/v7/trackandtrace/id/84901736402SE/public?apikey=k%26y&locale=en' },
  ]);
});
