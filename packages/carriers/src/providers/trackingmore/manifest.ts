import { aggregatorCallbacks, RELEASED_AFTER_A_MONTH } from '../../provider-callbacks.ts';
import { callbackSecret, credential, defineProvider } from '../manifest.ts';
import { ACCEPTED, parseCallback, verifyCallback } from './callback.ts';
import { COURIERS } from './carriers.ts';
import { trackingMoreClient } from './client.ts';
import { parseTrackings } from './parse.ts';

const BATCH_SIZE = 40;

export const trackingMore = defineProvider({
  name: 'trackingmore',
  title: 'TrackingMore / 51Tracking',
  about: 'registrations, queries and callbacks for many carriers; a registration is charged',
  capabilities: ['read', 'batch', 'push', 'release'],
  carriers: COURIERS.table,
  requires: {},
  apiUrl: 'https://api.trackingmore.com/v4',
  otherUrls: 'https://api.51tracking.com/v4 for 51Tracking',
  settings: {
    key: credential(
      'TRACKINGMORE_KEY',
      'your API key',
      'shown under Developer, API keys at https://admin.trackingmore.com',
    ),
    webhookSecret: callbackSecret(
      'TRACKINGMORE_WEBHOOK_SECRET',
      'the webhook secret; without it callbacks are refused',
      'shown under Developer, Webhooks at https://admin.trackingmore.com, where you also set the address for callbacks',
    ),
  },
  limits: {
    batchSize: BATCH_SIZE,
    concurrency: 3,
    // TrackingMore asks the carrier every few hours.
    floorSeconds: 1800,
    // Of its limits (queries 10, creations 3) the lowest.
    callsPerSecond: 3,
  },
  callbacks: aggregatorCallbacks(
    { verify: verifyCallback, parse: parseCallback, accepted: ACCEPTED },
    { batchSize: BATCH_SIZE, release: RELEASED_AFTER_A_MONTH },
  ),
  answers: 'JSON of GET /trackings/get: data[].origin_info.trackinfo[]',
  parse: parseTrackings,
  connect: (account) => trackingMoreClient({ ...account, batchSize: BATCH_SIZE }),
});
