import { httpClient, urlBelow } from '../../http/http.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parseTrack } from './parse.ts';

const OBTAIN = 'shown at https://developers.auspost.com.au for the Shipping and Tracking API; needs a contract account';

/** Australia Post accepts no more in a call. */
const BATCH_SIZE = 10;

/** The Shipping and Tracking API of Australia Post: up to 10 numbers per call. */
export const australiaPost = defineProvider({
  name: 'australia-post',
  title: 'Australia Post',
  about: 'the Shipping and Tracking API',
  capabilities: ['read', 'batch'],
  language: 'en',
  carriers: { 'australia-post': 'auspost' },
  apiUrl: 'https://digitalapi.auspost.com.au',
  otherUrls: 'https://digitalapi.auspost.com.au/test for tests',
  settings: {
    accountNumber: credential('AUSTRALIA_POST_ACCOUNT_NUMBER', 'your account number at Australia Post', OBTAIN),
    apiKey: credential('AUSTRALIA_POST_API_KEY', 'your API key at Australia Post', OBTAIN),
    password: credential('AUSTRALIA_POST_PASSWORD', 'the password of your API key', OBTAIN),
  },
  limits: { batchSize: BATCH_SIZE, concurrency: 2, floorSeconds: 900, callsPerSecond: 0.16 },
  answers: 'JSON: tracking_results[].trackable_items[].events[]',
  parse: parseTrack,
  connect: (config) => {
    const url = urlBelow(config.baseUrl, 'shipping/v1/track');
    const send = httpClient({ timeoutMs: 15_000, batchSize: BATCH_SIZE });
    const basic = { user: config.apiKey, password: config.password };
    const headers = { 'Account-Number': config.accountNumber, accept: 'application/json' };
    return {
      ask: async (questions, signal) => {
        const query = { tracking_ids: questions.map(({ number }) => number).join(',') };
        return parseTrack(await send(url, { query, basic, headers }, signal), questions);
      },
    };
  },
});
