import { httpClient, urlBelow } from '../../http/http.ts';
import { askEach, type ProviderClient } from '../../provider.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parseShipments, SERVICES } from './parse.ts';

export const dhlUnified = defineProvider({
  name: 'dhl-unified',
  title: 'DHL Shipment Tracking - Unified',
  about: 'the tracking API of the divisions of DHL',
  capabilities: ['read'],
  language: 'en',
  carriers: SERVICES,
  requires: {},
  apiUrl: 'https://api-eu.dhl.com',
  settings: {
    apiKey: credential(
      'DHL_UNIFIED_API_KEY',
      'your API key at DHL',
      'create an app with "Shipment Tracking - Unified" at https://developer.dhl.com and copy its API key',
    ),
  },
  limits: {
    batchSize: 1,
    concurrency: 2,
    // DHL asks for at most ten queries of a shipment a day.
    floorSeconds: 8640,
    callsPerSecond: 1,
    // DHL raises it on request.
    dailyBudget: 250,
  },
  answers: 'JSON: shipments[].events[]',
  parse: (outcome, requested) => requested.map((each) => parseShipments(outcome, each)),
  connect: (account) => dhlUnifiedClient(account),
});

type DhlUnifiedConfig = { baseUrl: string; apiKey: string };

/**
 * DHL Shipment Tracking - Unified: one number per call.
 * @throws TypeError if `baseUrl` is not a URL.
 */
function dhlUnifiedClient({ baseUrl, apiKey }: DhlUnifiedConfig): ProviderClient {
  const url = urlBelow(baseUrl, 'track/shipments');
  const send = httpClient({ timeoutMs: 15_000 });
  const headers = { 'DHL-API-Key': apiKey };
  return {
    ask: askEach(({ number }, signal) => {
      const query = { trackingNumber: number, language: 'en' };
      return send(url, { query, headers }, signal);
    }, parseShipments),
  };
}
