import { stopServers } from '../../testing/local-server.ts';
import { requestsOf } from '../../testing/requested.ts';

afterEach(stopServers);

test('all numbers are sent in the path of one call, with the key', async () => {
  const requested = await requestsOf(
    'la-poste',
    (url) => ({ PROVIDER_URLS: `la-poste=${url}`, LA_POSTE_API_KEY: 'k' }),
    [
      { number: '6A40718236509', carrier: 'colissimo' },
      { number: 'RQ318204765FR', carrier: 'la-poste' },
    ],
  );
  const path = 'GET /suivi/v2/idships/6A40718236509,RQ318204765FR?lang=fr_FR';
  expect(requested).toMatchObject([{ path, headers: { 'x-okapi-key': 'k' } }]);
});
