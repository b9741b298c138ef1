import { credential, defineProvider } from '../manifest.ts';
import { postnordClient } from './client.ts';
import { parseTrackAndTrace } from './parse.ts';

export const postnord = defineProvider({
  name: 'postnord',
  title: 'PostNord',
  about: 'the track and trace API',
  capabilities: ['read'],
  language: 'en',
  carriers: { postnord: 'postnord' },
  requires: {},
  apiUrl: 'https://api2.postnord.com',
  otherUrls: 'https://atapi2.postnord.com for tests',
  settings: {
    apiKey: credential(
      'POSTNORD_API_KEY',
      'your API key at PostNord',
      'register at https://developer.postnord.com and create an application (free of charge)',
    ),
  },
  limits: {
    batchSize: 1,
    concurrency: 4,
    floorSeconds: 900,
    callsPerSecond: 2,
  },
  answers: 'JSON: TrackingInformationResponse.shipments[].items[].events[]',
  parse: parseTrackAndTrace,
  connect: (account) => postnordClient(account),
});
