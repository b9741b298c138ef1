import { callbackSecret, credential, defineProvider } from '../manifest.ts';
import { ACCEPTED, parseCallback, verifyCallback } from './callback.ts';
import { upsClient } from './client.ts';
import { parseDetails } from './parse.ts';
import { MAX_SUBSCRIBED } from './subscribe.ts';

const DAY = 86_400;
const OBTAIN = 'add an app with the product "Tracking" at https://developer.ups.com and copy its client ID and secret';

export const ups = defineProvider({
  name: 'ups',
  title: 'UPS',
  about: 'the tracking API, and its callbacks (Track Alert)',
  capabilities: ['read', 'push'],
  language: 'en',
  carriers: { ups: 'ups' },
  requires: {},
  apiUrl: 'https://onlinetools.ups.com',
  settings: {
    clientId: credential('UPS_CLIENT_ID', 'the client ID of your app at UPS', OBTAIN),
    clientSecret: credential('UPS_CLIENT_SECRET', 'the client secret of your app at UPS', OBTAIN),
    webhookCredential: callbackSecret(
      'UPS_WEBHOOK_CREDENTIAL',
      'the credential of your webhook; without it nothing is subscribed to, and everything is polled',
      'add the product "Track Alert" to your app at https://developer.ups.com, and set the address for callbacks there',
    ),
  },
  limits: {
    batchSize: 1,
    concurrency: 4,
    // UPS publishes no limit.
    callsPerSecond: 5,
    floorSeconds: 900,
  },
  playedBySandbox: {
    account: {
      UPS_CLIENT_ID: 'sandbox-client',
      UPS_CLIENT_SECRET: 'sandbox-secret',
      UPS_WEBHOOK_CREDENTIAL: 'sandbox-webhook-credential',
    },
  },
  callbacks: {
    // Track Alert reports no earlier events, so the history is read first.
    subscribe: 'when-found',
    batchSize: MAX_SUBSCRIBED,
    // The first callback is the next scan, which may take days.
    firstCallbackSeconds: 3 * DAY,
    resubscribeSeconds: 3600,
    // A subscription lapses after 14 days; this leaves two for a failing renewal.
    renewSeconds: 12 * DAY,
    isNoticeOnly: true,
    verify: verifyCallback,
    parse: parseCallback,
    accepted: ACCEPTED,
  },
  answers: 'JSON: trackResponse.shipment[].package[].activity[]',
  parse: (outcome, requested) => requested.map((each) => parseDetails(outcome, each)),
  connect: (account, context) => upsClient(account, context),
});
