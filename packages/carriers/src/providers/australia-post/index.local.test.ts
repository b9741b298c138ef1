import { stopServers } from '../../testing/local-server.ts';
import { basic, requestsOf } from '../../testing/requested.ts';

afterEach(stopServers);

test('all numbers are sent in one call, with the key and the account', async () => {
  const requested = await requestsOf(
    'australia-post',
    (url) => ({
      PROVIDER_URLS: `australia-post=${url}`,
      AUSTRALIA_POST_ACCOUNT_NUMBER: '1001',
      AUSTRALIA_POST_API_KEY: 'key',
      AUSTRALIA_POST_PASSWORD: 'word',
    }),
    ['KXB7310482', 'KXB7310999'].map((number) => ({ number, carrier: 'australia-post' })),
  );
  expect(requested).toMatchObject([
    {
      path: 'GET /shipping/v1/track?tracking_ids=KXB7310482%2CKXB7310999',
      headers: { authorization: basic('key', 'word'), 'account-number': '1001' },
    },
  ]);
});
