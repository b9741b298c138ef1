import { httpClient, urlBelow } from '../../http/http.ts';
import { oauth } from '../../http/oauth.ts';
import { askEach } from '../../provider.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parseTracking } from './parse.ts';

const OBTAIN = 'sent by Poste Italiane to customers of Poste Delivery Business who ask for its APIs';
/** The scopes of tokens, by the host of the API. */
const SCOPES: Readonly<Record<string, string>> = {
  'apid.gp.posteitaliane.it': 'api://8f0f2c58-19a8-45ef-9f9e-8bcb0acc7657/.default',
};
const SCOPE = 'https://postemarketplace.onmicrosoft.com/d6a78063-5570-4a87-bbd7-07326e6855d1/.default';

/**
 * `parcel/tracking` of Poste Delivery Business (manual of its APIs, as its open-source clients follow it, for example
 * https://github.com/smart-dato/post-it-sdk): one waybill per call, with texts in English.
 */
export const posteItaliane = defineProvider({
  name: 'poste-italiane',
  title: 'Poste Italiane',
  about: 'tracking in the APIs of Poste Delivery Business, for business customers',
  capabilities: ['read'],
  language: 'en',
  carriers: { 'poste-italiane': 'poste-italiane' },
  apiUrl: 'https://apiw.gp.posteitaliane.it/gp/internet',
  otherUrls: 'https://apid.gp.posteitaliane.it/dev/kindergarden for tests',
  settings: {
    clientId: credential('POSTE_ITALIANE_CLIENT_ID', 'the client ID of your access at Poste Italiane', OBTAIN),
    clientSecret: credential('POSTE_ITALIANE_CLIENT_SECRET', 'the secret of your access (secretId)', OBTAIN),
  },
  limits: { batchSize: 1, concurrency: 2, floorSeconds: 900, callsPerSecond: 1 },
  answers: 'JSON: return.shipment[].tracking[]',
  parse: (outcome, requested) => requested.map((each) => parseTracking(outcome, each)),
  connect: ({ baseUrl, clientId, clientSecret }, { tokens }) => {
    const url = urlBelow(baseUrl, 'postalandlogistics/parcel/tracking');
    const send = httpClient({ timeoutMs: 15_000 });
    const headers = { POSTE_clientID: clientId, accept: 'application/json' };
    const scope = SCOPES[new URL(baseUrl).hostname] ?? SCOPE;
    const auth = oauth({
      provider: 'poste-italiane',
      title: 'Poste Italiane',
      tokenUrl: urlBelow(baseUrl, 'user/sessions'),
      clientId,
      clientSecret,
      style: { json: { clientId, secretId: clientSecret, scope, grantType: 'client_credentials' }, headers },
      store: tokens,
    });
    return {
      prepare: auth.prepare,
      ask: askEach(({ number }, signal) => {
        const shipmentsData = [{ waybillNumber: number, lastTracingState: 'N' }];
        const json = { arg0: { shipmentsData, statusDescription: 'E', customerType: 'DQ' } };
        return auth.call((bearer) => send(url, { json, bearer, headers }, signal), signal);
      }, parseTracking),
    };
  },
});
