import { httpClient, urlBelow } from '../../http/http.ts';
import { askEach } from '../../provider.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parseDetail } from './parse.ts';

const OBTAIN = 'join the Developer Program at https://www.canadapost.ca/developers: the two halves of your API key';

/** The tracking API of Canada Post: XML, one number per call. */
export const canadaPost = defineProvider({
  name: 'canada-post',
  title: 'Canada Post',
  about: 'the tracking API',
  capabilities: ['read'],
  language: 'en',
  carriers: { 'canada-post': 'canadapost' },
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
  connect: ({ baseUrl, username, password }) => {
    const url = urlBelow(baseUrl, 'vis/track/pin');
    const send = httpClient({ timeoutMs: 15_000 });
    const request = {
      basic: { user: username, password },
      // Any other media type, even */*, is refused.
      headers: { accept: 'application/vnd.cpc.track-v2+xml', 'accept-language': 'en-CA' },
    };
    return {
      ask: askEach(
        ({ number }, signal) => send(`${url}/${encodeURIComponent(number)}/detail`, request, signal),
        (outcome, question) => parseDetail(outcome, [question]),
      ),
    };
  },
});
