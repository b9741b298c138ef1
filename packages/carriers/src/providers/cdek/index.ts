import { httpClient, urlBelow } from '../../http/http.ts';
import { oauth } from '../../http/oauth.ts';
import { askEach } from '../../provider.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parseOrder } from './parse.ts';

const OBTAIN = 'created under Integration in your account at https://lk.cdek.ru; described at https://api-docs.cdek.ru';

/**
 * API 2.0 of CDEK (https://api-docs.cdek.ru): one order per call, with OAuth. Its webhooks are not signed, so they are
 * not subscribed to.
 */
export const cdek = defineProvider({
  name: 'cdek',
  title: 'CDEK',
  about: 'API 2.0, for orders of your own contract',
  capabilities: ['read'],
  language: 'ru',
  carriers: { cdek: 'cdek' },
  apiUrl: 'https://api.cdek.ru',
  otherUrls: 'https://api.edu.cdek.ru for tests',
  settings: {
    clientId: credential('CDEK_CLIENT_ID', 'the account (client_id) of your integration at CDEK', OBTAIN),
    clientSecret: credential('CDEK_CLIENT_SECRET', 'the secure password (client_secret) of your integration', OBTAIN),
  },
  limits: { batchSize: 1, concurrency: 2, floorSeconds: 900, callsPerSecond: 2 },
  answers: 'JSON: entity.statuses[]',
  parse: (outcome, requested) => requested.map((each) => parseOrder(outcome, each)),
  connect: ({ baseUrl, ...account }, { tokens }) => {
    const url = urlBelow(baseUrl, 'v2/orders');
    const send = httpClient({ timeoutMs: 15_000 });
    const auth = oauth({
      provider: 'cdek',
      title: 'CDEK',
      tokenUrl: urlBelow(baseUrl, 'v2/oauth/token'),
      style: 'form',
      store: tokens,
      ...account,
    });
    return {
      prepare: auth.prepare,
      ask: askEach(({ number }, signal) => {
        const query = { cdek_number: number };
        return auth.call((bearer) => send(url, { query, bearer }, signal), signal);
      }, parseOrder),
    };
  },
});
