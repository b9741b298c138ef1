import { parseXml } from '../../http/xml.ts';
import { stopServers } from '../../testing/local-server.ts';
import { basic, requestsOf } from '../../testing/requested.ts';

afterEach(stopServers);

test('all numbers are sent in one document, in which the password is escaped', async () => {
  const [requested] = await requestsOf(
    'dhl-paket',
    (url) => ({
      PROVIDER_URLS: `dhl-paket=${url}`,
      DHL_PAKET_API_KEY: 'key',
      DHL_PAKET_API_SECRET: 'secret',
      DHL_PAKET_APP_NAME: 'app',
      DHL_PAKET_PASSWORD: 'a"<&>b',
    }),
    ['00340434918273645018', '00340434918273645025'].map((number) => ({ number, carrier: 'dhl-paket' })),
  );
  const url = new URL(requested?.path.slice('GET '.length) ?? '', 'http://127.0.0.1');
  expect(url.pathname).toBe('/parcel/de/tracking/v0/shipments');
  expect(requested?.headers.authorization).toBe(basic('key', 'secret'));
  expect(parseXml(url.searchParams.get('xml') ?? '')).toMatchObject({
    name: 'data',
    attributes: {
      appname: 'app',
      password: 'a"<&>b',
      request: 'd-get-piece-detail',
      'language-code': 'en',
      'piece-code': '00340434918273645018;00340434918273645025',
    },
  });
});
