import { aggregatorCallbacks, RELEASED_AFTER_A_MONTH } from '../../provider-callbacks.ts';
import { callbackSecret, credential, defineProvider } from '../manifest.ts';
import { ACCEPTED, parseCallback, verifyCallback } from './callback.ts';
import { COURIERS } from './carriers.ts';
import { afterShipClient } from './client.ts';
import { parseTrackings } from './parse.ts';

const BATCH_SIZE = 50;

export const afterShip = defineProvider({
  name: 'aftership',
  title: 'AfterShip',
  about: 'registrations, queries and callbacks for most carriers; a registration is charged',
  capabilities: ['read', 'batch', 'push', 'release'],
  carriers: COURIERS.table,
  requires: {},
  apiUrl: 'https://api.aftership.com/tracking/2025-01',
  settings: {
    key: credential('AFTERSHIP_KEY', 'your API key', 'created under Settings, API keys at https://admin.aftership.com'),
    webhookSecret: callbackSecret(
      'AFTERSHIP_WEBHOOK_SECRET',
      'the webhook secret; without it callbacks are refused',
      'shown under Settings, Webhooks at https://admin.aftership.com, where you also set the address for callbacks',
    ),
  },
  limits: {
    batchSize: BATCH_SIZE,
    concurrency: 3,
    floorSeconds: 1800,
    // Of its limits (lists 6, single trackings 5) the lowest.
    callsPerSecond: 5,
  },
  callbacks: aggregatorCallbacks(
    { verify: verifyCallback, parse: parseCallback, accepted: ACCEPTED },
    { release: RELEASED_AFTER_A_MONTH },
  ),
  answers: 'JSON of GET /trackings: data.trackings[].checkpoints[]',
  parse: parseTrackings,
  connect: (account) => afterShipClient({ ...account, batchSize: BATCH_SIZE }),
});
