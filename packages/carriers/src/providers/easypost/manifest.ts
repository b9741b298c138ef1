import { aggregatorCallbacks } from '../../provider-callbacks.ts';
import { callbackSecret, credential, defineProvider } from '../manifest.ts';
import { ACCEPTED, parseCallback, verifyCallback } from './callback.ts';
import { CARRIERS } from './carriers.ts';
import { easyPostClient } from './client.ts';
import { parseTrackers } from './parse.ts';

export const easyPost = defineProvider({
  name: 'easypost',
  title: 'EasyPost',
  about: 'trackers, queries and callbacks, mostly for American carriers; a tracker is charged',
  capabilities: ['read', 'push'],
  carriers: CARRIERS.table,
  requires: {},
  apiUrl: 'https://api.easypost.com/v2',
  settings: {
    key: credential(
      'EASYPOST_KEY',
      'your API key',
      'shown under API keys at https://app.easypost.com/account/settings',
    ),
    webhookSecret: callbackSecret(
      'EASYPOST_WEBHOOK_SECRET',
      'the webhook secret; without it callbacks are refused',
      'the one that you choose when you create the webhook with the address for callbacks',
    ),
  },
  limits: {
    batchSize: 1,
    concurrency: 5,
    floorSeconds: 1800,
    callsPerSecond: 5,
  },
  callbacks: aggregatorCallbacks({ verify: verifyCallback, parse: parseCallback, accepted: ACCEPTED }),
  answers: 'JSON of GET /trackers: trackers[].tracking_details[]; or a callback',
  parse: (outcome, requested) => requested.map((each) => parseTrackers(outcome, each)),
  connect: (account) => easyPostClient(account),
});
