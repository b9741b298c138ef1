import { credential, defineProvider } from '../manifest.ts';
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
  apiUrl: 'https://apis.fedex.com',
  settings: {
    clientId: credential('FEDEX_CLIENT_ID', 'the API key of your project at FedEx', OBTAIN),
    clientSecret: credential('FEDEX_CLIENT_SECRET', 'the secret key of your project at FedEx', OBTAIN),
  },
  limits: {
    batchSize: BATCH_SIZE,
    concurrency: 4,
    // FedEx allows 1,400 calls in 10 seconds.
    callsPerSecond: 20,
    floorSeconds: 900,
    dailyBudget: 100_000,
  },
  answers: 'JSON: output.completeTrackResults[].trackResults[].scanEvents[]',
  parse: parseTrackingNumbers,
  connect: (account, context) => fedexClient({ ...account, batchSize: BATCH_SIZE }, context),
});
