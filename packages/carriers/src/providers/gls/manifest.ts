import { credential, defineProvider } from '../manifest.ts';
import { BATCH_SIZE, glsClient } from './client.ts';
import { parseParcels } from './parse.ts';

const OBTAIN = 'create an app with "Track And Trace" at https://dev-portal.gls-group.net';

export const gls = defineProvider({
  name: 'gls',
  title: 'GLS',
  about: 'the track and trace API',
  capabilities: ['read', 'batch'],
  language: 'en',
  carriers: { gls: 'gls' },
  requires: {},
  apiUrl: 'https://api.gls-group.net',
  otherUrls: 'https://api-sandbox.gls-group.net for tests',
  settings: {
    clientId: credential('GLS_CLIENT_ID', 'the client id of your app at GLS', OBTAIN),
    clientSecret: credential('GLS_CLIENT_SECRET', 'the client secret of your app at GLS', OBTAIN),
  },
  limits: {
    batchSize: BATCH_SIZE,
    concurrency: 2,
    floorSeconds: 900,
    callsPerSecond: 1,
  },
  answers: 'JSON: parcels[].events[]',
  parse: parseParcels,
  connect: (account, { tokens }) => glsClient({ ...account, tokens }),
});
