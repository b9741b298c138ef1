import { httpClient, urlBelow } from '../../http/http.ts';
import { oauth } from '../../http/oauth.ts';
import { askTogether } from '../../provider.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parseTrackingNumbers } from './parse.ts';

const OBTAIN =
  'create a project with "Basic Integrated Visibility" at https://developer.fedex.com and copy its API key and secret key';
const BATCH_SIZE = 30;

/** FedEx Track: all numbers in one call, with an OAuth token. */
export const fedex = defineProvider({
  name: 'fedex',
  title: 'FedEx',
  about: 'the tracking API',
  capabilities: ['read', 'batch'],
  language: 'en',
  carriers: { fedex: 'FDX' },
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
  connect: ({ baseUrl, clientId, clientSecret }, { tokens }) => {
    const url = urlBelow(baseUrl, 'track/v1/trackingnumbers');
    const send = httpClient({ timeoutMs: 20_000, batchSize: BATCH_SIZE });
    const authority = oauth({
      provider: 'fedex',
      title: 'FedEx',
      tokenUrl: urlBelow(baseUrl, 'oauth/token'),
      clientId,
      clientSecret,
      style: 'form',
      // Wrong credentials are a 401; a 403 blocks an address with too many requests for ten minutes.
      blocksForSeconds: 600,
      store: tokens,
    });
    return {
      prepare: authority.prepare,
      ask: askTogether((questions, signal) => {
        const trackingInfo = questions.map(({ number }) => ({ trackingNumberInfo: { trackingNumber: number } }));
        const json = { includeDetailedScans: true, trackingInfo };
        const headers = { 'x-locale': 'en_US' };
        return authority.call((bearer) => send(url, { json, bearer, headers }, signal), signal);
      }, parseTrackingNumbers),
    };
  },
});
