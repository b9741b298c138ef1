import { httpClient, urlBelow } from '../../http/http.ts';
import { askEach } from '../../provider.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parseTrackAndTrace } from './parse.ts';

/** The track and trace API v7 of PostNord: one number per call. */
export const postnord = defineProvider({
  name: 'postnord',
  title: 'PostNord',
  about: 'the track and trace API',
  capabilities: ['read'],
  language: 'en',
  carriers: { postnord: 'postnord' },
  apiUrl: 'https://api2.postnord.com',
  otherUrls: 'https://atapi2.postnord.com for tests',
  settings: {
    apiKey: credential(
      'POSTNORD_API_KEY',
      'your API key at PostNord',
      'register at https://developer.postnord.com and create an application (free of charge)',
    ),
  },
  limits: { batchSize: 1, concurrency: 4, floorSeconds: 900, callsPerSecond: 2 },
  answers: 'JSON: TrackingInformationResponse.shipments[].items[].events[]',
  parse: parseTrackAndTrace,
  connect: ({ baseUrl, apiKey }) => {
    const url = urlBelow(baseUrl, 'rest/shipment/v7/trackandtrace/id');
    const send = httpClient({ timeoutMs: 15_000 });
    const query = { apikey: apiKey, locale: 'en' };
    return {
      ask: askEach(
        ({ number }, signal) => send(`${url}/${encodeURIComponent(number)}/public`, { query }, signal),
        (outcome, question) => parseTrackAndTrace(outcome, [question]),
      ),
    };
  },
});
