import { credential, defineProvider } from '../manifest.ts';
import { australiaPostClient, BATCH_SIZE } from './client.ts';
import { parseTrack } from './parse.ts';

const OBTAIN = 'shown at https://developers.auspost.com.au for the Shipping and Tracking API; needs a contract account';

export const australiaPost = defineProvider({
  name: 'australia-post',
  title: 'Australia Post',
  about: 'the Shipping and Tracking API',
  capabilities: ['read', 'batch'],
  language: 'en',
  carriers: { 'australia-post': 'auspost' },
  requires: {},
  apiUrl: 'https://digitalapi.auspost.com.au',
  otherUrls: 'https://digitalapi.auspost.com.au/test for tests',
  settings: {
    accountNumber: credential('AUSTRALIA_POST_ACCOUNT_NUMBER', 'your account number at Australia Post', OBTAIN),
    apiKey: credential('AUSTRALIA_POST_API_KEY', 'your API key at Australia Post', OBTAIN),
    password: credential('AUSTRALIA_POST_PASSWORD', 'the password of your API key', OBTAIN),
  },
  limits: {
    batchSize: BATCH_SIZE,
    concurrency: 2,
    floorSeconds: 900,
    callsPerSecond: 0.16,
  },
  answers: 'JSON: tracking_results[].trackable_items[].events[]',
  parse: parseTrack,
  connect: (account) => australiaPostClient(account),
});
