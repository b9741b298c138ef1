import { credential, defineProvider } from '../manifest.ts';
import { uspsClient } from './client.ts';
import { parseTracking } from './parse.ts';

const OBTAIN =
  'create an app at https://developers.usps.com, have its access to the tracking API approved, and copy its consumer key and secret';
const BATCH_SIZE = 35;

export const usps = defineProvider({
  name: 'usps',
  title: 'USPS',
  about: 'the tracking API (v3r2); a new app has 60 calls an hour',
  capabilities: ['read', 'batch'],
  language: 'en',
  carriers: { usps: 'USPS' },
  requires: {},
  apiUrl: 'https://apis.usps.com',
  settings: {
    clientId: credential('USPS_CLIENT_ID', 'the consumer key of your app at USPS', OBTAIN),
    clientSecret: credential('USPS_CLIENT_SECRET', 'the consumer secret of your app at USPS', OBTAIN),
  },
  limits: {
    batchSize: BATCH_SIZE,
    concurrency: 1,
    // Just under 60 an hour; USPS raises it on request.
    callsPerSecond: 0.016,
    floorSeconds: 3600,
  },
  answers: 'JSON, one or a list: trackingEvents[]',
  parse: parseTracking,
  connect: (account, context) => uspsClient({ ...account, batchSize: BATCH_SIZE }, context),
});
