import { httpClient, urlBelow } from '../../http/http.ts';
import { askEach } from '../../provider.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parseTrackingInfo } from './parse.ts';

const OBTAIN = 'shown under Admin, General settings in the Shipping Manager of bpost; needs a contract';

/**
 * `trackedmail/item/{barcode}/trackingInfo` of bpost (the schema is `http://schema.post.be/tracking/v1/`, which the
 * integration manual of the Shipping Manager describes): one barcode per call.
 */
export const bpost = defineProvider({
  name: 'bpost',
  title: 'bpost',
  about: 'tracking in the web services of the Shipping Manager, for parcels of your own account',
  capabilities: ['read'],
  carriers: { bpost: 'bpost' },
  apiUrl: 'https://api.parcel.bpost.cloud',
  settings: {
    accountId: credential('BPOST_ACCOUNT_ID', 'the account ID of your Shipping Manager at bpost', OBTAIN),
    passphrase: credential('BPOST_PASSPHRASE', 'the passphrase of that account', OBTAIN),
  },
  limits: { batchSize: 1, concurrency: 2, floorSeconds: 900, callsPerSecond: 1 },
  answers: 'XML: itemTracking with stateInfo elements',
  parse: (outcome, requested) => requested.map((each) => parseTrackingInfo(outcome, each)),
  connect: ({ baseUrl, accountId, passphrase }) => {
    const url = urlBelow(baseUrl, 'services/trackedmail/item');
    const send = httpClient({ timeoutMs: 15_000 });
    const basic = { user: accountId, password: passphrase };
    return {
      ask: askEach(
        ({ number }, signal) => send(`${url}/${encodeURIComponent(number)}/trackingInfo`, { basic }, signal),
        parseTrackingInfo,
      ),
    };
  },
});
