import { credential, defineProvider } from '../manifest.ts';
import { canadaPostClient } from './client.ts';
import { parseDetail } from './parse.ts';

const OBTAIN = 'join the Developer Program at https://www.canadapost.ca/developers: the two halves of your API key';

export const canadaPost = defineProvider({
  name: 'canada-post',
  title: 'Canada Post',
  about: 'the tracking API',
  capabilities: ['read'],
  language: 'en',
  carriers: { 'canada-post': 'canadapost' },
  requires: {},
  apiUrl: 'https://soa-gw.canadapost.ca',
  otherUrls: 'https://ct.soa-gw.canadapost.ca for tests',
  settings: {
    username: credential('CANADA_POST_USERNAME', 'the user name of your API key at Canada Post', OBTAIN),
    password: credential('CANADA_POST_PASSWORD', 'the password of your API key at Canada Post', OBTAIN),
  },
  limits: {
    batchSize: 1,
    concurrency: 2,
    floorSeconds: 900,
    // 20 a minute for a new key.
    callsPerSecond: 0.33,
  },
  answers: 'XML: tracking-detail with its occurrences',
  parse: parseDetail,
  connect: (account) => canadaPostClient(account),
});
