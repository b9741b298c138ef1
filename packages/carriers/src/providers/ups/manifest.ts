import { decimal, integer } from '@pts/core/settings/setting';
import { address, credential, defineProvider } from '../manifest.ts';
import { upsClient } from './client.ts';
import { parseDetails } from './parse.ts';

const OBTAIN = 'add an app with the product "Tracking" at https://developer.ups.com and copy its client ID and secret';

export const ups = defineProvider({
  name: 'ups',
  title: 'UPS',
  about: 'the tracking API of UPS, one number per call',
  capabilities: ['read'],
  carriers: { ups: 'ups' },
  requires: {},
  settings: {
    baseUrl: address('UPS_BASE_URL', 'address of the UPS API', 'https://onlinetools.ups.com'),
    clientId: credential('UPS_CLIENT_ID', 'the client ID of your app at UPS', OBTAIN),
    clientSecret: credential('UPS_CLIENT_SECRET', 'the client secret of your app at UPS', OBTAIN),
  },
  limits: {
    batchSize: 1,
    concurrency: 4,
    // UPS publishes no limit.
    callsPerSecond: decimal('UPS_CALLS_PER_SECOND', 'calls per second, over all processes', 5),
    floorSeconds: integer('UPS_FLOOR_SECONDS', 'minimum seconds between two queries of a number', 900),
  },
  playedBySandbox: (sandboxUrl) => ({
    UPS_BASE_URL: `${sandboxUrl}/ups`,
    UPS_CLIENT_ID: 'sandbox-client',
    UPS_CLIENT_SECRET: 'sandbox-secret',
    UPS_FLOOR_SECONDS: '0',
  }),
  parse: (outcome, asked) => asked.map((each) => parseDetails(outcome, each)),
  connect: (account, context) => upsClient(account, context),
});
