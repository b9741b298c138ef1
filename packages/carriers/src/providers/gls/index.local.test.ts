import { startServer, stopServers } from '../../testing/local-server.ts';
import { testProvider } from '../../testing/provider.ts';
import { basic } from '../../testing/requested.ts';

afterEach(stopServers);

test('all numbers are sent in the path of one call, with a token that is fetched once', async () => {
  const requested: { path: string; headers: object }[] = [];
  const baseUrl = await startServer(({ method, url, headers }, response) => {
    requested.push({ path: `${method} ${url}`, headers });
    response.end(url?.endsWith('/token') ? '{"access_token":"t-1","expires_in":3600}' : '{"parcels":[]}');
  });
  const provider = testProvider('gls', {
    PROVIDER_URLS: `gls=${baseUrl}`,
    GLS_CLIENT_ID: 'id',
    GLS_CLIENT_SECRET: 'secret',
  });
  const questions = ['73810264917', '73810264926'].map((number) => ({ number, carrier: 'gls' }));
  await provider.ask(questions);
  await provider.ask(questions);
  const call = {
    path: 'GET /track-and-trace-v1/tracking/simple/trackids/73810264917,73810264926',
    headers: { authorization: 'Bearer t-1' },
  };
  const token = { path: 'POST /oauth2/v2/token', headers: { authorization: basic('id', 'secret') } };
  expect(requested).toMatchObject([token, call, call]);
});
