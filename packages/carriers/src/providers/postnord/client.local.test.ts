import { requestsOf } from '../../testing/asked.ts';
import { stopServers } from '../../testing/local-server.ts';

afterEach(stopServers);

test('a number is asked with the key in the query, and answered in English', async () => {
  const env = (url: string) => ({ POSTNORD_BASE_URL: url, POSTNORD_API_KEY: 'k&y' });
  const asked = await requestsOf('postnord', env, [{ number: '84901736402SE', carrier: 'postnord' }]);
  expect(asked).toMatchObject([
    { path: 'GET /rest/shipment/v7/trackandtrace/id/84901736402SE/public?apikey=k%26y&locale=en' },
  ]);
});
