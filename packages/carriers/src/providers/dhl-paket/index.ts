import { httpClient, urlBelow } from '../../http/http.ts';
import { escapeXml } from '../../http/xml.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parsePieces } from './parse.ts';

const OBTAIN = 'create an app with "Parcel DE Tracking (Post & Parcel Germany)" at https://developer.dhl.com';
const OBTAIN_USER = 'the tracking user of your business customer account (Geschäftskundenportal) at DHL Paket';

/** DHL accepts no more in a call. */
const BATCH_SIZE = 20;

/**
 * Parcel DE Tracking of DHL: an XML document in the query, up to 20 numbers per call. The key of the app is checked by
 * the gateway (HTTP Basic), the user inside the document by the service.
 */
export const dhlPaket = defineProvider({
  name: 'dhl-paket',
  title: 'DHL Paket (Germany)',
  about: 'Parcel DE Tracking, for business customers',
  capabilities: ['read', 'batch'],
  language: 'en',
  carriers: { 'dhl-paket': 'parcel-de' },
  apiUrl: 'https://api-eu.dhl.com',
  otherUrls: 'https://api-sandbox.dhl.com for tests',
  settings: {
    apiKey: credential('DHL_PAKET_API_KEY', 'the API key of your app at DHL', OBTAIN),
    apiSecret: credential('DHL_PAKET_API_SECRET', 'the API secret of your app at DHL', OBTAIN),
    appName: credential('DHL_PAKET_APP_NAME', 'the name (appname) of your tracking user', OBTAIN_USER),
    password: credential('DHL_PAKET_PASSWORD', 'the password of your tracking user', OBTAIN_USER),
  },
  limits: { batchSize: BATCH_SIZE, concurrency: 2, floorSeconds: 900, callsPerSecond: 1 },
  answers: 'XML of d-get-piece-detail: nested data elements',
  parse: parsePieces,
  connect: ({ baseUrl, ...account }) => {
    const url = urlBelow(baseUrl, 'parcel/de/tracking/v0/shipments');
    const send = httpClient({ timeoutMs: 15_000, batchSize: BATCH_SIZE });
    const basic = { user: account.apiKey, password: account.apiSecret };
    const headers = { 'DHL-API-Key': account.apiKey, accept: 'application/xml' };
    return {
      ask: async (questions, signal) => {
        const numbers = questions.map(({ number }) => number);
        const query = { xml: documentOf(numbers, account) };
        return parsePieces(await send(url, { query, basic, headers }, signal), questions);
      },
    };
  },
});

function documentOf(numbers: readonly string[], { appName, password }: { appName: string; password: string }) {
  const attributes = {
    appname: appName,
    password,
    request: 'd-get-piece-detail',
    'language-code': 'en',
    'piece-code': numbers.join(';'),
  };
  const written = Object.entries(attributes).map(([name, value]) => `${name}="${escapeXml(value)}"`);
  return `<?xml version="1.0" encoding="UTF-8" standalone="no"?><data ${written.join(' ')}/>`;
}
