import { httpClient, urlBelow } from '../../http/http.ts';
import { askEach } from '../../provider.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parseShipments, SERVICES } from './parse.ts';

/** DHL Shipment Tracking - Unified: one number per call. */
export const dhlUnified = defineProvider({
  name: 'dhl-unified',
  title: 'DHL Shipment Tracking - Unified',
  about: 'the tracking API of the divisions of DHL',
  capabilities: ['read'],
  language: 'en',
  carriers: SERVICES,
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
  connect: ({ baseUrl, apiKey }) => {
    const url = urlBelow(baseUrl, 'track/shipments');
    const send = httpClient({ timeoutMs: 15_000 });
    const headers = { 'DHL-API-Key': apiKey };
    return {
      ask: askEach(({ number }, signal) => {
        const query = { trackingNumber: number, language: 'en' };
        return send(url, { query, headers }, signal);
      }, parseShipments),
    };
  },
});
