import { integer } from '@pts/core/settings/setting';
import { aggregatorPush } from '../../provider-push.ts';
import { address, callbackSecret, credential, defineProvider } from '../manifest.ts';
import { CARRIERS } from './carriers.ts';
import { easyPostClient } from './client.ts';
import { parseTrackers } from './parse.ts';
import { ACCEPTED, parsePush, verifyPush } from './push.ts';

export const easyPost = defineProvider({
  name: 'easypost',
  title: 'EasyPost',
  about: 'trackers, queries and pushes, mostly for American carriers; a tracker is charged',
  capabilities: ['read', 'push'],
  carriers: CARRIERS.table,
  requires: {},
  settings: {
    baseUrl: address(
      'EASYPOST_BASE_URL',
      'address of the EasyPost API, with its version',
      'https://api.easypost.com/v2',
    ),
    key: credential(
      'EASYPOST_KEY',
      'your API key',
      'shown under API keys at https://app.easypost.com/account/settings',
    ),
    webhookSecret: callbackSecret(
      'EASYPOST_WEBHOOK_SECRET',
      'the webhook secret; without it pushes are refused',
      'the one that you choose when you create the webhook with the address for pushes',
    ),
  },
  limits: {
    batchSize: 1,
    concurrency: 5,
    floorSeconds: integer('EASYPOST_FLOOR_SECONDS', 'minimum seconds between two queries of a number', 1800),
    callsPerSecond: integer('EASYPOST_CALLS_PER_SECOND', 'calls per second, over all processes', 5, 1),
  },
  playedBySandbox: (sandboxUrl) => ({
    EASYPOST_BASE_URL: `${sandboxUrl}/easypost`,
    EASYPOST_KEY: 'sandbox-key',
    EASYPOST_WEBHOOK_SECRET: 'sandbox-webhook-secret',
    EASYPOST_FLOOR_SECONDS: '0',
  }),
  push: aggregatorPush({ verify: verifyPush, parse: parsePush, accepted: ACCEPTED }),
  parse: (outcome, requested) => requested.map((each) => parseTrackers(outcome, each)),
  connect: (account) => easyPostClient(account),
});
