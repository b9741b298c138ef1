import { callsPerSecond, floorSeconds } from '../limits.ts';
import { address, credential, defineProvider } from '../manifest.ts';
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
  settings: {
    baseUrl: address(
      'GLS_BASE_URL',
      'address of the GLS API; https://api-sandbox.gls-group.net for tests',
      'https://api.gls-group.net',
    ),
    clientId: credential('GLS_CLIENT_ID', 'the client id of your app at GLS', OBTAIN),
    clientSecret: credential('GLS_CLIENT_SECRET', 'the client secret of your app at GLS', OBTAIN),
  },
  limits: {
    batchSize: BATCH_SIZE,
    concurrency: 2,
    floorSeconds: floorSeconds('GLS', 900),
    callsPerSecond: callsPerSecond('GLS', 1),
  },
  answers: 'JSON: parcels[].events[]',
  parse: parseParcels,
  connect: (account, { tokens }) => glsClient({ ...account, tokens }),
});
