import { httpClient, urlBelow } from '../../http/http.ts';
import { oauth } from '../../http/oauth.ts';
import { askTogether } from '../../provider.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parseTracking } from './parse.ts';

const OBTAIN =
  'create an app at https://developers.usps.com, have its access to the tracking API approved, and copy its consumer key and secret';
const BATCH_SIZE = 35;

/** USPS Tracking v3r2: all numbers in one call, with an OAuth token whose scope must hold `tracking`. */
export const usps = defineProvider({
  name: 'usps',
  title: 'USPS',
  about: 'the tracking API (v3r2); a new app has 60 calls an hour',
  capabilities: ['read', 'batch'],
  language: 'en',
  carriers: { usps: 'USPS' },
  apiUrl: 'https://apis.usps.com',
  settings: {
    clientId: credential('USPS_CLIENT_ID', 'the consumer key of your app at USPS', OBTAIN),
    clientSecret: credential('USPS_CLIENT_SECRET', 'the consumer secret of your app at USPS', OBTAIN),
  },
  limits: {
    batchSize: BATCH_SIZE,
    concurrency: 1,
    // Just under 60 an hour; USPS raises it on request.
    callsPerSecond: 0.016,
    floorSeconds: 3600,
  },
  answers: 'JSON, one or a list: trackingEvents[]',
  parse: parseTracking,
  connect: ({ baseUrl, clientId, clientSecret }, { tokens }) => {
    const url = urlBelow(baseUrl, 'tracking/v3r2/tracking');
    const send = httpClient({ timeoutMs: 20_000, batchSize: BATCH_SIZE });
    const tokenUrl = urlBelow(baseUrl, 'oauth2/v3/token');
    const account = { provider: 'usps', title: 'USPS', tokenUrl, clientId, clientSecret };
    const authority = oauth({ ...account, style: 'json', store: tokens });
    return {
      prepare: authority.prepare,
      ask: askTogether((questions, signal) => {
        // Further fields in an entry are refused.
        const json = questions.map(({ number }) => ({ trackingNumber: number }));
        return authority.call((bearer) => send(url, { json, bearer }, signal), signal);
      }, parseTracking),
    };
  },
});
