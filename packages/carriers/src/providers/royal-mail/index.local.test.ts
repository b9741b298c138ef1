import { stopServers } from '../../testing/local-server.ts';
import { requestsOf } from '../../testing/requested.ts';

afterEach(stopServers);

test('a number is queried with both keys and the consent to the terms', async () => {
  const env = (url: string) => ({
    PROVIDER_URLS: `royal-mail=${url}`,
    ROYAL_MAIL_CLIENT_ID: 'id',
    ROYAL_MAIL_CLIENT_SECRET: 'secret',
  });
  const requested = await requestsOf('royal-mail', env, [{ number: 'TV618204735GB', carrier: 'royal-mail' }]);
  const headers = { 'x-ibm-client-id': 'id', 'x-ibm-client-secret': 'secret', 'x-accept-rmg-terms': 'yes' };
  expect(requested).toMatchObject([{ path: 'GET /mailpieces/v2/TV618204735GB/events', headers }]);
});
