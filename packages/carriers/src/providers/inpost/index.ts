import { httpClient, urlBelow } from '../../http/http.ts';
import { askEach } from '../../provider.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parseTracking } from './parse.ts';

/**
 * The ShipX API of InPost (https://dokumentacja-inpost.atlassian.net): one number per call. No signature of its
 * webhooks is documented, so they are not subscribed to.
 */
export const inpost = defineProvider({
  name: 'inpost',
  title: 'InPost (Poland)',
  about: 'the ShipX API, for parcels in Poland',
  capabilities: ['read'],
  language: 'en',
  carriers: { inpost: 'inpost' },
  apiUrl: 'https://api-shipx-pl.easypack24.net',
  otherUrls: 'https://sandbox-api-shipx-pl.easypack24.net for tests',
  settings: {
    token: credential(
      'INPOST_TOKEN',
      'the ShipX token of your organization at InPost',
      'created under My account, API in the Parcel Manager (https://manager.paczkomaty.pl); described at https://dokumentacja-inpost.atlassian.net',
    ),
  },
  limits: { batchSize: 1, concurrency: 2, floorSeconds: 900, callsPerSecond: 1 },
  answers: 'JSON: tracking_details[]',
  parse: (outcome, requested) => requested.map((each) => parseTracking(outcome, each)),
  connect: ({ baseUrl, token }) => {
    const url = urlBelow(baseUrl, 'v1/tracking');
    const send = httpClient({ timeoutMs: 15_000 });
    return {
      ask: askEach(
        ({ number }, signal) => send(`${url}/${encodeURIComponent(number)}`, { bearer: token }, signal),
        parseTracking,
      ),
    };
  },
});
