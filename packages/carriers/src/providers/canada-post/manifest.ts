import { callsPerSecond, floorSeconds } from '../limits.ts';
import { address, credential, defineProvider } from '../manifest.ts';
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
  settings: {
    baseUrl: address(
      'CANADA_POST_BASE_URL',
      'address of the Canada Post API; https://ct.soa-gw.canadapost.ca for tests',
      'https://soa-gw.canadapost.ca',
    ),
    username: credential('CANADA_POST_USERNAME', 'the user name of your API key at Canada Post', OBTAIN),
    password: credential('CANADA_POST_PASSWORD', 'the password of your API key at Canada Post', OBTAIN),
  },
  limits: {
    batchSize: 1,
    concurrency: 2,
    floorSeconds: floorSeconds('CANADA_POST', 900),
    // 20 a minute for a new key.
    callsPerSecond: callsPerSecond('CANADA_POST', 0.33),
  },
  answers: 'XML: tracking-detail with its occurrences',
  parse: parseDetail,
  connect: (account) => canadaPostClient(account),
});
