import { httpClient, urlBelow } from '../../http/http.ts';
import { oauth } from '../../http/oauth.ts';
import { askTogether } from '../../provider.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parseParcels } from './parse.ts';

const OBTAIN = 'create an app with "Track And Trace" at https://dev-portal.gls-group.net';

/** GLS accepts no more in a call. */
const BATCH_SIZE = 10;

/** The track and trace API v1 of the GLS group: up to 10 numbers per call, with OAuth. */
export const gls = defineProvider({
  name: 'gls',
  title: 'GLS',
  about: 'the track and trace API',
  capabilities: ['read', 'batch'],
  language: 'en',
  carriers: { gls: 'gls' },
  apiUrl: 'https://api.gls-group.net',
  otherUrls: 'https://api-sandbox.gls-group.net for tests',
  settings: {
    clientId: credential('GLS_CLIENT_ID', 'the client id of your app at GLS', OBTAIN),
    clientSecret: credential('GLS_CLIENT_SECRET', 'the client secret of your app at GLS', OBTAIN),
  },
  limits: { batchSize: BATCH_SIZE, concurrency: 2, floorSeconds: 900, callsPerSecond: 1 },
  answers: 'JSON: parcels[].events[]',
  parse: parseParcels,
  connect: ({ baseUrl, ...account }, { tokens }) => {
    const url = urlBelow(baseUrl, 'track-and-trace-v1/tracking/simple/trackids');
    const send = httpClient({ timeoutMs: 15_000, batchSize: BATCH_SIZE });
    const auth = oauth({
      provider: 'gls',
      title: 'GLS',
      tokenUrl: urlBelow(baseUrl, 'oauth2/v2/token'),
      style: 'basic',
      store: tokens,
      ...account,
    });
    const headers = { accept: 'application/json', 'accept-language': 'en' };
    return {
      prepare: auth.prepare,
      ask: askTogether((questions, signal) => {
        const numbers = questions.map(({ number }) => encodeURIComponent(number)).join(',');
        return auth.call((bearer) => send(`${url}/${numbers}`, { bearer, headers }, signal), signal);
      }, parseParcels),
    };
  },
});
