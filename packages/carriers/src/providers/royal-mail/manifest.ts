import { credential, defineProvider } from '../manifest.ts';
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
  apiUrl: 'https://api.royalmail.net',
  settings: {
    clientId: credential('ROYAL_MAIL_CLIENT_ID', 'the client id of your app at Royal Mail', OBTAIN),
    clientSecret: credential('ROYAL_MAIL_CLIENT_SECRET', 'the client secret of your app at Royal Mail', OBTAIN),
  },
  limits: {
    batchSize: 1,
    concurrency: 2,
    floorSeconds: 900,
    callsPerSecond: 1,
  },
  answers: 'JSON: mailPieces.events[]',
  parse: parseEvents,
  connect: (account) => royalMailClient(account),
});
