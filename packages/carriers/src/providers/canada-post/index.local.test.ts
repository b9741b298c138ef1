import { stopServers } from '../../testing/local-server.ts';
import { basic, requestsOf } from '../../testing/requested.ts';

afterEach(stopServers);

test('a number is requested in the one media type that Canada Post supports', async () => {
  const env = (url: string) => ({
    PROVIDER_URLS: `canada-post=${url}`,
    CANADA_POST_USERNAME: 'user',
    CANADA_POST_PASSWORD: 'word',
  });
  const requested = await requestsOf('canada-post', env, [{ number: '7301938264501837', carrier: 'canada-post' }]);
  expect(requested).toMatchObject([
    {
      path: 'GET /vis/track/pin/7301938264501837/detail',
      headers: { authorization: basic('user', 'word'), accept: 'application/vnd.cpc.track-v2+xml' },
    },
  ]);
});
