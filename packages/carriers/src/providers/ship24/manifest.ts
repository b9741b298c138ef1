import { aggregatorCallbacks } from '../../provider-callbacks.ts';
import { callbackSecret, credential, defineProvider } from '../manifest.ts';
import { ACCEPTED, parseCallback, verifyCallback } from './callback.ts';
import { COURIERS } from './carriers.ts';
import { ship24Client } from './client.ts';
import { parseResults } from './parse.ts';

export const ship24 = defineProvider({
  name: 'ship24',
  title: 'Ship24',
  about: 'trackers, queries and callbacks for most carriers; a tracker is charged',
  capabilities: ['read', 'push', 'release'],
  carriers: COURIERS.table,
  requires: {},
  apiUrl: 'https://api.ship24.com/public/v1',
  settings: {
    key: credential('SHIP24_KEY', 'your API key', 'shown under Integrations, API keys at https://dashboard.ship24.com'),
    webhookSecret: callbackSecret(
      'SHIP24_WEBHOOK_SECRET',
      'the webhook secret; without it callbacks are refused',
      'shown under Integrations, Webhook at https://dashboard.ship24.com, where you also set the address for callbacks',
    ),
  },
  limits: {
    batchSize: 1,
    concurrency: 5,
    floorSeconds: 1800,
    callsPerSecond: 10,
  },
  callbacks: aggregatorCallbacks(
    { verify: verifyCallback, parse: parseCallback, accepted: ACCEPTED },
    // A tracker is paid for once: unsubscribing from it and subscribing to it again are free.
    { release: { batchSize: 1, holdSeconds: 0, restarts: 1_000_000 } },
  ),
  answers: 'JSON: data.trackings[].events[]',
  parse: (outcome, requested) => requested.map((each) => parseResults(outcome, each)),
  connect: (account) => ship24Client(account),
});
