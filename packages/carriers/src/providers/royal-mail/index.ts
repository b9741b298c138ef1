import { httpClient, urlBelow } from '../../http/http.ts';
import { askEach } from '../../provider.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parseEvents } from './parse.ts';

const OBTAIN = 'create an app at https://developer.royalmail.net and subscribe it to "Tracking API V2"';

/** The Tracking API v2 of Royal Mail: one number per call. */
export const royalMail = defineProvider({
  name: 'royal-mail',
  title: 'Royal Mail',
  about: 'the Tracking API v2',
  capabilities: ['read'],
  language: 'en',
  carriers: { 'royal-mail': 'RM' },
  apiUrl: 'https://api.royalmail.net',
  settings: {
    clientId: credential('ROYAL_MAIL_CLIENT_ID', 'the client id of your app at Royal Mail', OBTAIN),
    clientSecret: credential('ROYAL_MAIL_CLIENT_SECRET', 'the client secret of your app at Royal Mail', OBTAIN),
  },
  limits: { batchSize: 1, concurrency: 2, floorSeconds: 900, callsPerSecond: 1 },
  answers: 'JSON: mailPieces.events[]',
  parse: parseEvents,
  connect: (config) => {
    const url = urlBelow(config.baseUrl, 'mailpieces/v2');
    const send = httpClient({ timeoutMs: 15_000 });
    const headers = {
      'X-IBM-Client-Id': config.clientId,
      'X-IBM-Client-Secret': config.clientSecret,
      'X-Accept-RMG-Terms': 'yes',
      accept: 'application/json',
    };
    return {
      ask: askEach(
        ({ number }, signal) => send(`${url}/${encodeURIComponent(number)}/events`, { headers }, signal),
        (outcome, question) => parseEvents(outcome, [question]),
      ),
    };
  },
});
