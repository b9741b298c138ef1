import { callsPerSecond, floorSeconds } from '../limits.ts';
import { address, credential, defineProvider } from '../manifest.ts';
import { royalMailClient } from './client.ts';
import { parseEvents } from './parse.ts';

const OBTAIN = 'create an app at https://developer.royalmail.net and subscribe it to "Tracking API V2"';

export const royalMail = defineProvider({
  name: 'royal-mail',
  title: 'Royal Mail',
  about: 'the Tracking API v2',
  capabilities: ['read'],
  language: 'en',
  carriers: { 'royal-mail': 'RM' },
  requires: {},
  settings: {
    baseUrl: address('ROYAL_MAIL_BASE_URL', 'address of the Royal Mail API', 'https://api.royalmail.net'),
    clientId: credential('ROYAL_MAIL_CLIENT_ID', 'the client id of your app at Royal Mail', OBTAIN),
    clientSecret: credential('ROYAL_MAIL_CLIENT_SECRET', 'the client secret of your app at Royal Mail', OBTAIN),
  },
  limits: {
    batchSize: 1,
    concurrency: 2,
    floorSeconds: floorSeconds('ROYAL_MAIL', 900),
    callsPerSecond: callsPerSecond('ROYAL_MAIL', 1),
  },
  answers: 'JSON: mailPieces.events[]',
  parse: parseEvents,
  connect: (account) => royalMailClient(account),
});
