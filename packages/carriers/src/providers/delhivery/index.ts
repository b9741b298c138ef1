import { httpClient, urlBelow } from '../../http/http.ts';
import type { ProviderClient } from '../../provider.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parsePackages } from './parse.ts';

/** Delhivery accepts no more in a call. */
const BATCH_SIZE = 50;

export const delhivery = defineProvider({
  name: 'delhivery',
  title: 'Delhivery',
  about: 'the order tracking API, for shipments of your own account',
  capabilities: ['read', 'batch'],
  language: 'en',
  carriers: { delhivery: 'delhivery' },
  requires: {},
  apiUrl: 'https://track.delhivery.com',
  otherUrls: 'https://staging-express.delhivery.com for tests',
  settings: {
    token: credential(
      'DELHIVERY_TOKEN',
      'the API token of your account at Delhivery',
      'shown in Delhivery One (https://one.delhivery.com), or sent by your contact there; described at https://one.delhivery.com/developer-portal',
    ),
  },
  limits: {
    batchSize: BATCH_SIZE,
    concurrency: 2,
    floorSeconds: 900,
    // 750 calls in 5 minutes.
    callsPerSecond: 2.5,
  },
  answers: 'JSON: ShipmentData[].Shipment.Scans[].ScanDetail',
  parse: parsePackages,
  connect: (account) => delhiveryClient(account),
});

type DelhiveryConfig = { baseUrl: string; token: string };

/**
 * The order tracking API of Delhivery (https://one.delhivery.com/developer-portal): up to 50 waybills per call. Its
 * pushed scans are not signed, so they are not subscribed to.
 * @throws TypeError if `baseUrl` is not a URL.
 */
function delhiveryClient({ baseUrl, token }: DelhiveryConfig): ProviderClient {
  const url = urlBelow(baseUrl, 'api/v1/packages/json/');
  const send = httpClient({ timeoutMs: 15_000, batchSize: BATCH_SIZE });
  const headers = { authorization: `Token ${token}`, accept: 'application/json' };
  return {
    ask: async (questions, signal) => {
      const query = { waybill: questions.map(({ number }) => number).join(',') };
      return parsePackages(await send(url, { query, headers }, signal), questions);
    },
  };
}
