import { integer } from '@pts/core/settings/setting';
import { callsPerSecond, floorSeconds, MAX_DAILY_BUDGET } from '../limits.ts';
import { address, credential, defineProvider } from '../manifest.ts';
import { fedexClient } from './client.ts';
import { parseTrackingNumbers } from './parse.ts';

const OBTAIN =
  'create a project with "Basic Integrated Visibility" at https://developer.fedex.com and copy its API key and secret key';
const BATCH_SIZE = 30;

export const fedex = defineProvider({
  name: 'fedex',
  title: 'FedEx',
  about: 'the tracking API',
  capabilities: ['read', 'batch'],
  language: 'en',
  carriers: { fedex: 'FDX' },
  requires: {},
  settings: {
    baseUrl: address('FEDEX_BASE_URL', 'address of the FedEx API', 'https://apis.fedex.com'),
    clientId: credential('FEDEX_CLIENT_ID', 'the API key of your project at FedEx', OBTAIN),
    clientSecret: credential('FEDEX_CLIENT_SECRET', 'the secret key of your project at FedEx', OBTAIN),
  },
  limits: {
    batchSize: BATCH_SIZE,
    concurrency: 4,
    // FedEx allows 1,400 calls in 10 seconds.
    callsPerSecond: callsPerSecond('FEDEX', 20),
    floorSeconds: floorSeconds('FEDEX', 900),
    dailyBudget: integer('FEDEX_DAILY_BUDGET', 'calls per UTC day', 100_000, 1, MAX_DAILY_BUDGET),
  },
  answers: 'JSON: output.completeTrackResults[].trackResults[].scanEvents[]',
  parse: parseTrackingNumbers,
  connect: (account, context) => fedexClient({ ...account, batchSize: BATCH_SIZE }, context),
});
