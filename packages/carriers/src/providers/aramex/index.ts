import { httpClient, urlBelow } from '../../http/http.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parseTrackShipments } from './parse.ts';

const OBTAIN =
  'of your account at https://www.aramex.com, with access to its shipping services (https://www.aramex.com/developers)';

/** Aramex publishes no limit. */
const BATCH_SIZE = 10;

/** TrackShipments of Aramex (https://www.aramex.com/developers), in JSON: several waybills per call. */
export const aramex = defineProvider({
  name: 'aramex',
  title: 'Aramex',
  about: 'the Shipments Tracking API',
  capabilities: ['read', 'batch'],
  language: 'en',
  carriers: { aramex: 'aramex' },
  apiUrl: 'https://ws.aramex.net/ShippingAPI.V2',
  otherUrls: 'https://ws.dev.aramex.net/ShippingAPI.V2 for tests',
  settings: {
    username: credential('ARAMEX_USERNAME', 'your user name (email address) at Aramex', OBTAIN),
    password: credential('ARAMEX_PASSWORD', 'your password at Aramex', OBTAIN),
    accountNumber: credential('ARAMEX_ACCOUNT_NUMBER', 'your account number at Aramex', OBTAIN),
    accountPin: credential('ARAMEX_ACCOUNT_PIN', 'the PIN of your account at Aramex', OBTAIN),
    accountEntity: credential('ARAMEX_ACCOUNT_ENTITY', 'the entity of your account, three letters', OBTAIN),
    accountCountry: credential('ARAMEX_ACCOUNT_COUNTRY', 'the country code of your account, two letters', OBTAIN),
  },
  limits: { batchSize: BATCH_SIZE, concurrency: 2, floorSeconds: 900, callsPerSecond: 1 },
  answers: 'JSON: TrackingResults[].Value[]',
  parse: parseTrackShipments,
  connect: ({ baseUrl, ...account }) => {
    const url = urlBelow(baseUrl, 'Tracking/Service_1_0.svc/json/TrackShipments');
    const send = httpClient({ timeoutMs: 15_000, batchSize: BATCH_SIZE });
    const clientInfo = {
      UserName: account.username,
      Password: account.password,
      Version: 'v1.0',
      AccountNumber: account.accountNumber,
      AccountPin: account.accountPin,
      AccountEntity: account.accountEntity,
      AccountCountryCode: account.accountCountry,
    };
    const headers = { accept: 'application/json' };
    return {
      ask: async (questions, signal) => {
        const json = {
          ClientInfo: clientInfo,
          Shipments: questions.map(({ number }) => number),
          GetLastTrackingUpdateOnly: false,
        };
        return parseTrackShipments(await send(url, { json, headers }, signal), questions);
      },
    };
  },
});
