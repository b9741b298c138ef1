import { httpClient, urlBelow } from '../../http/http.ts';
import { oauth } from '../../http/oauth.ts';
import { askTogether } from '../../provider.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parseShipmentInfo } from './parse.ts';

const OBTAIN = 'sent by Hermes Germany to customers who ask for access to the Hermes Shipping Interface (HSI)';

/** Hermes accepts no more in a call. */
const BATCH_SIZE = 100;
/** Where the tokens of its addresses come from; those of any other address come from there. */
const AUTHORITIES: Readonly<Record<string, string>> = {
  'de-api.hermesworld.com': 'https://authme.myhermes.de',
  'de-api-int.hermesworld.com': 'https://authme-int.myhermes.de',
};

/**
 * The Shipment Info API of Hermes Germany (OpenAPI document of the Hermes Shipping Interface, 2025-12-08): up to 100
 * numbers per call, with OAuth by the password of a user.
 */
export const hermesDe = defineProvider({
  name: 'hermes-de',
  title: 'Hermes Germany',
  about: 'the Shipment Info API of the Hermes Shipping Interface, for business customers',
  capabilities: ['read', 'batch'],
  language: 'en',
  carriers: { 'hermes-de': 'hermes' },
  apiUrl: 'https://de-api.hermesworld.com/services/hsi',
  otherUrls: 'https://de-api-int.hermesworld.com/services/hsi for tests',
  settings: {
    clientId: credential('HERMES_DE_CLIENT_ID', 'the client ID of your access at Hermes', OBTAIN),
    clientSecret: credential('HERMES_DE_CLIENT_SECRET', 'the client secret of your access at Hermes', OBTAIN),
    username: credential('HERMES_DE_USERNAME', 'the user of your access at Hermes', OBTAIN),
    password: credential('HERMES_DE_PASSWORD', 'the password of that user', OBTAIN),
  },
  limits: { batchSize: BATCH_SIZE, concurrency: 2, floorSeconds: 900, callsPerSecond: 1 },
  answers: 'JSON: shipmentinfo[].status[]',
  parse: parseShipmentInfo,
  connect: ({ baseUrl, username, password, ...client }, { tokens }) => {
    const url = urlBelow(baseUrl, 'shipmentinfo');
    const send = httpClient({ timeoutMs: 15_000, batchSize: BATCH_SIZE });
    const authority = AUTHORITIES[new URL(baseUrl).hostname] ?? baseUrl;
    const auth = oauth({
      provider: 'hermes-de',
      title: 'Hermes',
      tokenUrl: urlBelow(authority, 'authorization-facade/oauth2/access_token'),
      style: 'form',
      params: { grant_type: 'password', username, password },
      store: tokens,
      ...client,
    });
    const headers = { accept: 'application/json', 'accept-language': 'EN' };
    return {
      prepare: auth.prepare,
      ask: askTogether((questions, signal) => {
        const query = new URLSearchParams(questions.map(({ number }) => ['shipmentID', number]));
        return auth.call((bearer) => send(`${url}?${query}`, { bearer, headers }, signal), signal);
      }, parseShipmentInfo),
    };
  },
});
