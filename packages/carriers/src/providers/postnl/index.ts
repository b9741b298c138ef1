import { httpClient, urlBelow } from '../../http/http.ts';
import { askEach } from '../../provider.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parseStatus } from './parse.ts';

/** The Shippingstatus API v2 of PostNL (https://developer.postnl.nl): one barcode per call. */
export const postnl = defineProvider({
  name: 'postnl',
  title: 'PostNL',
  about: 'the Shippingstatus API v2, for shipments of your own account',
  capabilities: ['read'],
  language: 'en',
  carriers: { postnl: 'postnl' },
  apiUrl: 'https://api.postnl.nl',
  otherUrls: 'https://api-sandbox.postnl.nl for tests',
  settings: {
    apiKey: credential(
      'POSTNL_API_KEY',
      'your API key at PostNL',
      'requested with "Shippingstatus" at https://developer.postnl.nl, which also describes it',
    ),
  },
  limits: { batchSize: 1, concurrency: 2, floorSeconds: 900, callsPerSecond: 2 },
  answers: 'JSON: CompleteStatus.Shipment.Event[]',
  parse: (outcome, requested) => requested.map((each) => parseStatus(outcome, each)),
  connect: ({ baseUrl, apiKey }) => {
    const url = urlBelow(baseUrl, 'shipment/v2/status/barcode');
    const send = httpClient({ timeoutMs: 15_000 });
    const request = {
      query: { detail: 'true', language: 'EN' },
      headers: { apikey: apiKey, accept: 'application/json' },
    };
    return {
      ask: askEach(({ number }, signal) => send(`${url}/${encodeURIComponent(number)}`, request, signal), parseStatus),
    };
  },
});
